//! Days of the calendar, in UTC.

use std::fmt;

const MS_OF_A_DAY: u64 = 86_400_000;

/// The last millisecond of the year 9999: later ones have no four-digit year.
const LAST: u64 = 253_402_300_799_999;

/// A day from the year 0001 to 9999; a later day is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day {
    year: u64,
    month: u64,
    of_month: u64,
}

impl Day {
    /// The day in UTC of a moment in Unix milliseconds; of one after the year 9999 its last day.
    pub fn of(unix_ms: u64) -> Self {
        let mut days = unix_ms.min(LAST) / MS_OF_A_DAY;
        let mut year = 1970;
        while days >= days_of_year(year) {
            days -= days_of_year(year);
            year += 1;
        }
        let mut month = 1;
        while days >= days_of_month(year, month) {
            days -= days_of_month(year, month);
            month += 1;
        }
        Self { year, month, of_month: days + 1 }
    }

    /// The day that `text` names as `YYYY-MM-DD`; `None` where it is written otherwise, or the calendar has no such day.
    pub fn parse(text: &str) -> Option<Self> {
        let parts: Vec<&str> = text.split('-').collect();
        let [year, month, day] = parts[..] else { return None };
        let number = |part: &str, length: usize| {
            let is_number = part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| part.parse::<u64>().ok()).flatten()
        };
        let (year, month, day) = (number(year, 4)?, number(month, 2)?, number(day, 2)?);
        let is_real =
            year > 0 && (1..=12).contains(&month) && (1..=days_of_month(year, month)).contains(&day);
        is_real.then_some(Self { year, month, of_month: day })
    }
}

fn days_of_year(year: u64) -> u64 {
    365 + u64::from(is_leap(year))
}

fn days_of_month(year: u64, month: u64) -> u64 {
    match month {
        2 => 28 + u64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

impl fmt::Display for Day {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:04}-{:02}-{:02}", self.year, self.month, self.of_month)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_read_only_where_the_calendar_has_it() {
        for text in ["2026-11-21", "2000-02-29", "0001-01-01", "9999-12-31"] {
            assert_eq!(Day::parse(text).map(|day| day.to_string()).as_deref(), Some(text));
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
        for (earlier, later) in
            [("2026-11-21", "2026-11-22"), ("2026-11-30", "2026-12-01"), ("2026-12-31", "2027-01-01")]
        {
            assert!(Day::parse(earlier) < Day::parse(later));
        }
    }
}
