//! Days and moments of the calendar, in UTC.

use std::fmt;

use jiff::civil::Date;
use jiff::fmt::rfc2822::DateTimeParser;
use jiff::tz::Offset;
use jiff::{Span, Timestamp};
use serde::{Deserialize, Serialize};

/// A day from the year 0001 to 9999; a later day is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Day(Date);

impl From<Day> for String {
    fn from(day: Day) -> Self {
        day.to_string()
    }
}

impl TryFrom<String> for Day {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).ok_or(text)
    }
}

impl Day {
    /// The day in UTC of a moment in Unix milliseconds; the last day of the calendar for later moments.
    pub fn of(unix_ms: u64) -> Self {
        Self(Offset::UTC.to_datetime(timestamp(unix_ms)).date())
    }

    /// The day that `text` names as `YYYY-MM-DD`; `None` if it has another form, or the calendar has no such day.
    pub fn parse(text: &str) -> Option<Self> {
        let date: Date = text.parse().ok()?;
        // The parser also accepts other forms of ISO 8601.
        (date.year() > 0 && date.to_string() == text).then_some(Self(date))
    }

    /// The day so many days later, at most the last one of the calendar.
    #[must_use]
    pub fn plus(self, days: u16) -> Self {
        Self(self.0.saturating_add(Span::new().days(i64::from(days))))
    }
}

impl fmt::Display for Day {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// `unix_ms` as ISO 8601 with milliseconds: `2026-11-21T22:08:00.000Z`.
pub fn iso8601(unix_ms: u64) -> String {
    format!("{:.3}", timestamp(unix_ms))
}

/// The moment that an HTTP header names (RFC 9110, 5.6.7), in Unix milliseconds; `None` if it is no date, or before 1970.
pub fn http_date(text: &str) -> Option<u64> {
    let moment = DateTimeParser::new().parse_timestamp(text).ok()?;
    u64::try_from(moment.as_millisecond()).ok()
}

/// The moment that a text of ISO 8601 with an offset names, in microseconds of Unix time; `None` if it is no such text, or
/// before 1970.
pub fn unix_micros(text: &str) -> Option<u64> {
    let moment: Timestamp = text.parse().ok()?;
    u64::try_from(moment.as_microsecond()).ok()
}

/// The moment of `unix_ms`, at most the last one of the calendar, in the year 9999.
fn timestamp(unix_ms: u64) -> Timestamp {
    i64::try_from(unix_ms)
        .ok()
        .and_then(|ms| Timestamp::from_millisecond(ms).ok())
        .unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_read_only_where_the_calendar_has_it() {
        for text in ["2026-11-21", "2000-02-29", "0001-01-01", "9999-12-31"] {
            assert_eq!(
                Day::parse(text).map(|day| day.to_string()).as_deref(),
                Some(text)
            );
        }
        for text in [
            "",
            "2026-02-29",
            "1900-02-29",
            "2026-13-01",
            "2026-00-01",
            "2026-04-31",
            "2026-01-00",
            "0000-01-01",
            "2026-1-1",
            "26-01-01",
            "2026/01/01",
            "2026-01-01-",
            "+026-01-01",
            "2026-01-01T00:00:00Z",
            " 2026-01-01",
            "２０２６-01-01",
        ] {
            assert_eq!(Day::parse(text), None, "{text}");
        }
    }

    #[test]
    fn days_follow_each_other() {
        assert_eq!(Day::of(1_795_298_880_123).to_string(), "2026-11-21");
        assert_eq!(
            Day::of(1_795_298_880_123).plus(10).to_string(),
            "2026-12-01"
        );
        assert_eq!(Day::of(u64::MAX).plus(7).to_string(), "9999-12-31");
        for (earlier, later) in [
            ("2026-11-21", "2026-11-22"),
            ("2026-11-30", "2026-12-01"),
            ("2026-12-31", "2027-01-01"),
        ] {
            assert!(Day::parse(earlier) < Day::parse(later));
        }
    }

    #[test]
    fn moments_know_the_calendar() {
        for (unix_ms, expected) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_868_799_000, "2000-02-29T23:59:59.000Z"),
            (951_868_800_000, "2000-03-01T00:00:00.000Z"),
            (1_767_225_599_000, "2025-12-31T23:59:59.000Z"),
            (1_795_298_880_123, "2026-11-21T22:08:00.123Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(iso8601(unix_ms), expected);
        }
        assert!(iso8601(u64::MAX).starts_with("9999-12-"));
    }

    #[test]
    fn moments_are_read_with_their_offsets() {
        for (text, expected) in [
            ("2026-11-21T22:08:00.123456Z", Some(1_795_298_880_123_456)),
            ("2026-11-21T23:08:00+01:00", Some(1_795_298_880_000_000)),
            ("2026-11-21T22:08:00", None),
            ("1969-12-31T23:59:59Z", None),
            ("yesterday", None),
        ] {
            assert_eq!(unix_micros(text), expected, "{text}");
        }
    }
}
