//! The types that settings have: how a value is read from a config, and from the command line.

use std::ops::RangeInclusive;
use std::time::Duration;

use serde::Deserialize;
use serde::de::IntoDeserializer as _;
use serde::de::value::{Error, StrDeserializer};

use super::choices::{FlakyVerdict, JunitDialect};
use super::run_count::{RunCount, percentage};
use crate::model::{Flag, Number, Percent, Short, TestRuns};
use crate::variables::{Interpolation, Leaf, NotReady};
use ananke_base::diagnostic::Spanned;
use ananke_base::statistics::Percentage;
use ananke_base::text::{Usd, parse_duration};

/// The key of a setting that has none in `run`: only the command line gives it, or another part of the config.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoKey;

/// The values of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlagForm {
    /// True if the option is given.
    Truth,
    /// One of these names, each with its help.
    Choice(&'static [(&'static str, &'static str)]),
    /// A text.
    Text,
}

/// The smallest and the largest number, for a key that has bounds.
pub type Within = Option<RangeInclusive<u64>>;

/// A value that a config gives as a `W`.
pub trait KeyValue<W>: Sized {
    /// Reads what is written; a number has to be `within` the bounds of its key.
    ///
    /// # Errors
    /// If a variable is known later, or something is wrong, which was reported.
    fn of_key(written: &W, within: Within, interpolation: &mut Interpolation<'_>) -> Leaf<Self>;
}

/// A value that the command line gives.
pub trait FlagValue: Sized {
    /// The form of its options.
    const FORM: FlagForm;

    /// Reads the value of an option; a number has to be `within` the bounds of its key.
    ///
    /// # Errors
    /// If it is none.
    fn of_flag(text: &str, within: Within) -> Result<Self, String>;
}

/// A value that contains no variable.
impl<T: Copy> KeyValue<T> for T {
    fn of_key(written: &T, _: Within, _: &mut Interpolation<'_>) -> Leaf<Self> {
        Ok(*written)
    }
}

impl KeyValue<Flag> for bool {
    fn of_key(written: &Flag, _: Within, interpolation: &mut Interpolation<'_>) -> Leaf<Self> {
        interpolation.flag(written)
    }
}

impl FlagValue for bool {
    const FORM: FlagForm = FlagForm::Truth;

    fn of_flag(text: &str, _: Within) -> Result<Self, String> {
        text.parse()
            .map_err(|_| "expected `true` or `false`".to_owned())
    }
}

macro_rules! whole_numbers {
    ($($number:ty),*) => {$(
        impl KeyValue<Number> for $number {
            fn of_key(written: &Number, within: Within, interpolation: &mut Interpolation<'_>) -> Leaf<Self> {
                interpolation.number_within(written, within.unwrap_or(0..=u64::MAX))
            }
        }

        impl FlagValue for $number {
            const FORM: FlagForm = FlagForm::Text;

            fn of_flag(text: &str, within: Within) -> Result<Self, String> {
                whole_number(text, &within.unwrap_or(0..=u64::MAX))
            }
        }
    )*};
}

whole_numbers!(u32, usize);

/// Milliseconds in a config; with a unit on the command line.
impl KeyValue<Number> for Duration {
    fn of_key(
        written: &Number,
        within: Within,
        interpolation: &mut Interpolation<'_>,
    ) -> Leaf<Self> {
        let ms = interpolation.number_within(written, within.unwrap_or(1..=u64::MAX))?;
        Ok(Self::from_millis(ms))
    }
}

impl FlagValue for Duration {
    const FORM: FlagForm = FlagForm::Text;

    fn of_flag(text: &str, _: Within) -> Result<Self, String> {
        parse_duration(text)
    }
}

impl KeyValue<Spanned<Percent>> for Percentage {
    fn of_key(
        written: &Spanned<Percent>,
        _: Within,
        interpolation: &mut Interpolation<'_>,
    ) -> Leaf<Self> {
        percentage(written, interpolation).ok_or(NotReady::Invalid)
    }
}

impl FlagValue for Percentage {
    const FORM: FlagForm = FlagForm::Text;

    fn of_flag(text: &str, _: Within) -> Result<Self, String> {
        Self::parse(text)
    }
}

impl KeyValue<Spanned<Short<TestRuns>>> for RunCount {
    fn of_key(
        written: &Spanned<Short<TestRuns>>,
        _: Within,
        interpolation: &mut Interpolation<'_>,
    ) -> Leaf<Self> {
        Self::fill(written, interpolation).ok_or(NotReady::Invalid)
    }
}

impl FlagValue for Usd {
    const FORM: FlagForm = FlagForm::Text;

    fn of_flag(text: &str, _: Within) -> Result<Self, String> {
        // A dollar sign is how people write amounts, and how reports do.
        let number = text.strip_prefix('$').unwrap_or(text).parse();
        let Ok(number) = number else {
            return Err("expected an amount of US dollars, such as `0.50`".to_owned());
        };
        Self::of(&number).map_err(|wrong| format!("the amount {wrong}"))
    }
}

impl FlagValue for FlakyVerdict {
    const FORM: FlagForm = FlagForm::Choice(&[
        ("pass", "Count as passed, marked as flaky"),
        ("fail", "Count as failed"),
    ]);

    fn of_flag(text: &str, _: Within) -> Result<Self, String> {
        named(text)
    }
}

impl FlagValue for JunitDialect {
    const FORM: FlagForm = FlagForm::Choice(&[
        (
            "default",
            "For most CI servers: file and line, properties and a transcript for each test",
        ),
        (
            "strict",
            "Valid under the schemas of Jenkins' xUnit plugin and of Windy Road",
        ),
    ]);

    fn of_flag(text: &str, _: Within) -> Result<Self, String> {
        named(text)
    }
}

/// The choice that has this name, which is the same in a config.
fn named<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, String> {
    let name: StrDeserializer<'a, Error> = text.into_deserializer();
    T::deserialize(name).map_err(|error| error.to_string())
}

/// The number that `text` is.
///
/// # Errors
/// If it is none, or not `within` the bounds.
pub fn whole_number<N: TryFrom<u64>>(
    text: &str,
    within: &RangeInclusive<u64>,
) -> Result<N, String> {
    if let Ok(number) = text.parse()
        && within.contains(&number)
        && let Ok(number) = N::try_from(number)
    {
        return Ok(number);
    }
    let (least, most) = (within.start(), within.end());
    Err(format!("expected a whole number from {least} to {most}"))
}
