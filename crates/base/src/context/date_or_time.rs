//! Dates and date-times of ISO 8601, as they are compared with each other.

use jiff::civil::{Date, DateTime, date};
use jiff::fmt::temporal::{Pieces, PiecesOffset};

/// The nanoseconds of a second.
const NANOSECONDS: i128 = 1_000_000_000;

/// The last nanosecond of a day, counted from its first.
const LAST_OF_DAY: i128 = 86_400 * NANOSECONDS - 1;

/// A date, which is the whole of that day, or a date-time, which is an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DateOrTime {
    /// Its first nanosecond, counted from 1970 on the clock of its own offset.
    local: i128,
    /// The offset of a date-time from UTC, in seconds.
    offset: i32,
    is_date: bool,
}

impl DateOrTime {
    /// The date or date-time that `text` is: `2026-11-21`, `2026-11-21T22:08:00+01:00`. A date-time without an offset is in UTC.
    /// `None` if it has another form, or the calendar has no such day.
    pub fn parse(text: &str) -> Option<Self> {
        // The parser also accepts forms without dashes, which are numbers to most readers, and years with a sign.
        let is_extended = text.as_bytes().get(4) == Some(&b'-')
            && text.as_bytes().iter().take(4).all(u8::is_ascii_digit);
        if !is_extended {
            return None;
        }
        let pieces = Pieces::parse(text).ok()?;
        if pieces.time_zone_annotation().is_some() || pieces.date().year() < 1 {
            return None;
        }
        let offset = match pieces.offset() {
            None | Some(PiecesOffset::Zulu) => 0,
            Some(PiecesOffset::Numeric(numeric)) => numeric.offset().seconds(),
            Some(_) => return None,
        };
        match pieces.time() {
            Some(time) => Some(Self {
                local: nanoseconds(pieces.date().to_datetime(time)),
                offset,
                is_date: false,
            }),
            None if is_date(text, pieces.date()) => Some(Self {
                local: nanoseconds(pieces.date().at(0, 0, 0, 0)),
                offset: 0,
                is_date: true,
            }),
            None => None,
        }
    }

    /// Whether no part of it is before the beginning of `bound`.
    pub fn is_at_least(self, bound: Self) -> bool {
        self.first(self) >= bound.first(self)
    }

    /// Whether no part of it is after the end of `bound`.
    pub fn is_at_most(self, bound: Self) -> bool {
        self.last(self) <= bound.last(self)
    }

    /// Whether all of it is after `bound`.
    pub fn is_above(self, bound: Self) -> bool {
        self.first(self) > bound.last(self)
    }

    /// Whether all of it is before `bound`.
    pub fn is_below(self, bound: Self) -> bool {
        self.last(self) < bound.first(self)
    }

    /// Whether nothing is after the beginning of this and before the end of `end`, whatever its offset.
    pub fn is_surely_after(self, end: Self) -> bool {
        // A date and a date-time are compared on the clock of the value, which can be a day off in either direction.
        let margin = if self.is_date == end.is_date {
            0
        } else {
            2 * LAST_OF_DAY
        };
        self.first(self) > end.last(end) + margin
    }

    /// Its first nanosecond of Unix time; a date is that day in the offset of `value`.
    fn first(self, value: Self) -> i128 {
        let offset = if self.is_date {
            value.offset
        } else {
            self.offset
        };
        self.local - i128::from(offset) * NANOSECONDS
    }

    /// Its last nanosecond of Unix time; a date is that day in the offset of `value`.
    fn last(self, value: Self) -> i128 {
        let length = if self.is_date { LAST_OF_DAY } else { 0 };
        self.first(value) + length
    }
}

/// Whether `text` is the date alone.
fn is_date(text: &str, date: Date) -> bool {
    date.to_string() == text
}

/// The nanoseconds from 1970 to a moment of a clock.
fn nanoseconds(moment: DateTime) -> i128 {
    moment
        .duration_since(date(1970, 1, 1).at(0, 0, 0, 0))
        .as_nanos()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> DateOrTime {
        DateOrTime::parse(text).expect(text)
    }

    #[test]
    fn dates_and_date_times_of_iso_8601_are_read_and_nothing_else() {
        for text in [
            "2026-11-21",
            "0001-01-01",
            "9999-12-31",
            "2000-02-29",
            "2026-11-21T22:08",
            "2026-11-21T22:08:00",
            "2026-11-21T22:08:00.123456789Z",
            "2026-11-21t22:08:00z",
            "2026-11-21 22:08:00+01:00",
            "2026-11-21T22:08:00-0530",
            "9999-12-31T23:59:59-12:00",
        ] {
            assert!(DateOrTime::parse(text).is_some(), "{text}");
        }
        for text in [
            "",
            "20261121",
            "20261121T220800Z",
            "2026-02-29",
            "2026-11-31",
            "2026-11",
            "2026-W47-6",
            "0000-01-01",
            "-2026-11-21",
            "+002026-11-21",
            "2026-11-21Z",
            "2026-11-21T",
            "2026-11-21T25:00:00",
            "2026-11-21T22:08:00+01:00[Europe/Paris]",
            "2026-11-21T22:08:00Z ",
            " 2026-11-21",
            "21.11.2026",
            "tomorrow",
        ] {
            assert_eq!(DateOrTime::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_range_is_empty_only_if_it_is_so_on_every_clock() {
        for (start, end, expected) in [
            ("2026-11-22", "2026-11-21", true),
            ("2026-11-21", "2026-11-21", false),
            ("2026-11-21T01:00:00Z", "2026-11-21T00:00:00Z", true),
            ("2026-11-21T01:00:00Z", "2026-11-21T00:00:00-02:00", false),
            ("2026-11-22", "2026-11-21T23:00:00Z", false),
            ("2026-11-22T12:00:00Z", "2026-11-21", false),
            ("2026-11-25", "2026-11-21T23:00:00Z", true),
        ] {
            let found = parsed(start).is_surely_after(parsed(end));
            assert_eq!(found, expected, "{start} and {end}");
        }
    }

    #[test]
    fn date_times_are_instants_and_dates_are_days_in_the_offset_of_the_value() {
        // The value, the bound, and whether it is at least, at most, above and below it.
        for (value, bound, expected) in [
            ("2026-11-21", "2026-11-21", [true, true, false, false]),
            ("2026-11-20", "2026-11-21", [false, true, false, true]),
            ("9999-12-31", "2026-11-21", [true, false, true, false]),
            (
                "2026-11-21T22:00:00Z",
                "2026-11-21T23:00:00+01:00",
                [true, true, false, false],
            ),
            (
                "2026-11-21T22:00:00",
                "2026-11-21T22:00:00.000000001Z",
                [false, true, false, true],
            ),
            // The day of the bound, on the clock of the value.
            (
                "2026-11-21T23:59:59-11:00",
                "2026-11-21",
                [true, true, false, false],
            ),
            (
                "2026-11-22T00:00:00+14:00",
                "2026-11-21",
                [true, false, true, false],
            ),
            (
                "2026-11-20T23:59:59.999999999",
                "2026-11-21",
                [false, true, false, true],
            ),
            // The whole day of the value, in UTC.
            (
                "2026-11-21",
                "2026-11-21T12:00:00Z",
                [false, false, false, false],
            ),
            (
                "2026-11-21",
                "2026-11-21T00:00:00Z",
                [true, false, false, false],
            ),
            (
                "2026-11-21",
                "2026-11-22T00:00:00Z",
                [false, true, false, true],
            ),
        ] {
            let value = parsed(value);
            let limit = parsed(bound);
            let found = [
                value.is_at_least(limit),
                value.is_at_most(limit),
                value.is_above(limit),
                value.is_below(limit),
            ];
            assert_eq!(found, expected, "{value:?} and {bound}");
        }
    }
}
