//! The required number of calls, or the required length of a value.

use crate::describe::times;
use ananke_base::diagnostic::{Code, Span};
use ananke_model::model::{Count, Number, Scalar};
use ananke_model::variables::Interpolation;
use ananke_trace::outcome::{Measured, MeasuredUnit};

/// Bounds of a number of calls, or of a length, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CallCount {
    /// At least this many.
    pub(crate) min: u64,
    /// At most this many.
    pub(crate) max: Option<u64>,
}

impl CallCount {
    /// Without `count`: at least one.
    pub(crate) const AT_LEAST_ONE: Self = Self { min: 1, max: None };

    /// Any number, none too.
    pub(crate) const ANY: Self = Self { min: 0, max: None };

    /// Bounds that are known later, in words.
    pub(crate) fn as_written(count: &Count, interpolation: &Interpolation<'_>) -> Option<String> {
        let Count { exact, min, max } = count;
        let numbers = [exact, min, max].map(Option::as_ref);
        numbers
            .iter()
            .flatten()
            .find_map(|number| interpolation.written_number(number))?;
        let [exact, min, max] = numbers.map(|number| {
            number.map(|number| match &number.value {
                Scalar::Literal(value) => value.to_string(),
                Scalar::Reference(written) => written.clone(),
            })
        });
        Some(match (exact, min, max) {
            (Some(exact), ..) => format!("exactly {exact}"),
            (None, Some(min), Some(max)) => format!("{min} to {max}"),
            (None, Some(min), None) => format!("at least {min}"),
            (None, None, max) => format!("at most {}", max.unwrap_or_default()),
        })
    }

    /// Checks and fills the bounds; `None` if something is known later or was reported.
    pub(crate) fn compile(
        count: &Count,
        span: Span,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        let Count { exact, min, max } = count;
        if let Some(exact) = exact {
            if min.is_some() || max.is_some() {
                let help = Some("use `exact` alone, or `min` and `max`".to_owned());
                interpolation.report(
                    Code::Contradiction,
                    exact.span,
                    "`exact` cannot be combined with `min` or `max`",
                    help,
                );
            }
            let exact = interpolation.number(exact).ok()?;
            return Some(Self {
                min: exact,
                max: Some(exact),
            });
        }
        if min.is_none() && max.is_none() {
            let help = Some("give `exact`, `min` or `max`".to_owned());
            interpolation.report(Code::EmptyValue, span, "nothing says how many", help);
            return None;
        }
        let mut number = |number: &Option<Number>| match number {
            Some(number) => interpolation.number(number).ok().map(Some),
            None => Some(None),
        };
        let (low, high) = (number(min)?, number(max)?);
        if let (Some(low), Some(high)) = (low, high)
            && low > high
        {
            interpolation.report(
                Code::Contradiction,
                span,
                format!("`min` {low} is larger than `max` {high}"),
                Some("swap the two".to_owned()),
            );
            return None;
        }
        Some(Self {
            min: low.unwrap_or(0),
            max: high,
        })
    }

    /// Whether `count` calls are allowed.
    pub(crate) fn allows(self, count: u64) -> bool {
        count >= self.min && !self.exceeded_by(count)
    }

    /// Whether `count` calls are too many.
    pub(crate) fn exceeded_by(self, count: u64) -> bool {
        self.max.is_some_and(|max| count > max)
    }

    /// The bounds in words, before a noun: `exactly 2`, `at least 2`, `2 to 5`.
    pub(crate) fn in_words(self) -> String {
        match self.max {
            Some(0) => "no".to_owned(),
            Some(max) if max == self.min => format!("exactly {max}"),
            _ => self.length_in_words(),
        }
    }

    /// The bounds of a length in words: `3`, `at least 2`, `2 to 5`.
    pub(super) fn length_in_words(self) -> String {
        match (self.min, self.max) {
            (min, None) => format!("at least {min}"),
            (min, Some(max)) if min == max => max.to_string(),
            (0, Some(max)) => format!("at most {max}"),
            (min, Some(max)) => format!("{min} to {max}"),
        }
    }

    /// `count` calls and how many there may be; `None` if there may be any number.
    pub(crate) fn measured(self, count: u64) -> Option<Measured> {
        Some(Measured {
            actual: count,
            limit: self.max?,
            unit: MeasuredUnit::Calls,
        })
    }

    /// `exactly once`, `at least 2 times`, `1 to 3 times`, `no call`.
    pub(crate) fn describe(self) -> String {
        match (self.min, self.max) {
            (_, Some(0)) => "no call".to_owned(),
            (min, Some(max)) if min == max => format!("exactly {}", times(min)),
            (0, Some(max)) => format!("at most {}", times(max)),
            (min, Some(max)) => format!("{min} to {max} times"),
            (min, None) => format!("at least {}", times(min)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::fakes::compile;

    /// The words of a count and the numbers that it allows, or what is wrong with it.
    type Expected = Result<(&'static str, &'static [u64]), &'static str>;

    #[test]
    fn a_count_is_compiled_described_and_compared() {
        let rows: [(&str, Expected); 10] = [
            ("exact: 0", Ok(("no call", &[0]))),
            ("exact: 1", Ok(("exactly once", &[1]))),
            ("exact: 2", Ok(("exactly 2 times", &[2]))),
            ("min: 1", Ok(("at least once", &[1, 2, 3]))),
            ("max: 1", Ok(("at most once", &[0, 1]))),
            ("max: 0", Ok(("no call", &[0]))),
            ("{ min: 1, max: 2 }", Ok(("1 to 2 times", &[1, 2]))),
            ("{ min: 2, max: 1 }", Err("`min` 2 is larger than `max` 1")),
            (
                "{ exact: 1, min: 1 }",
                Err("`exact` cannot be combined with `min` or `max`"),
            ),
            ("{}", Err("nothing says how many")),
        ];
        for (yaml, expected) in rows {
            let count = compile(yaml, |count: &Count, interpolation| {
                CallCount::compile(count, Span::default(), interpolation)
            });
            let found = count.map(|count| {
                (
                    count.describe(),
                    (0..4)
                        .filter(|calls| count.allows(*calls))
                        .collect::<Vec<u64>>(),
                )
            });
            let expected = expected.map(|(words, allowed)| (words.to_owned(), allowed.to_vec()));
            assert_eq!(
                found.map_err(|problems| problems.join("; ")),
                expected.map_err(str::to_owned),
                "{yaml}"
            );
        }
    }
}
