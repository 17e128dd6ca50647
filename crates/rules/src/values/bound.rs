//! Bounds of values: numbers, and dates and date-times of ISO 8601.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use crate::describe::json;
use ananke_base::context::DateOrTime;
use ananke_base::diagnostic::Code;
use ananke_base::source::{NodeValue, compare_numbers};
use ananke_model::model::{BoundValue, ValueType};
use ananke_model::variables::Interpolation;

/// The side of a value on which a bound is, and whether the value may be equal to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum BoundSide {
    Min,
    Max,
    Above,
    Below,
}

impl BoundSide {
    /// The key.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Min => "min",
            Self::Max => "max",
            Self::Above => "above",
            Self::Below => "below",
        }
    }

    /// The relation of a value to the bound.
    fn words(self) -> &'static str {
        match self {
            Self::Min => "at least",
            Self::Max => "at most",
            Self::Above => "above",
            Self::Below => "below",
        }
    }

    fn is_lower(self) -> bool {
        matches!(self, Self::Min | Self::Above)
    }

    fn is_exclusive(self) -> bool {
        matches!(self, Self::Above | Self::Below)
    }
}

/// A bound of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ValueBound {
    pub(super) side: BoundSide,
    /// As it is written in messages.
    written: String,
    kind: BoundKind,
}

/// The values with which a bound is compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum BoundKind {
    Number(Number),
    Date(DateOrTime),
    /// Known later: for people to read, never compared.
    Later,
}

impl ValueBound {
    /// Checks and fills a bound; `None` if something is known later or was reported.
    pub(super) fn compile(
        BoundValue(node): &BoundValue,
        side: BoundSide,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        let filled = interpolation.json(node).ok()?;
        let bound = |written: String, kind| Self {
            side,
            written,
            kind,
        };
        let text = match &filled {
            Value::Number(number) => {
                return Some(bound(number.to_string(), BoundKind::Number(number.clone())));
            }
            Value::String(text) if interpolation.json_waits(node) => {
                return Some(bound(text.clone(), BoundKind::Later));
            }
            Value::String(text) => text.clone(),
            _ => String::new(),
        };
        if let Some(date) = DateOrTime::parse(&text) {
            return Some(bound(text, BoundKind::Date(date)));
        }
        // Variables of the environment and of the command line are texts.
        let number: Option<Number> = text.parse().ok();
        let is_given = matches!(&node.value, NodeValue::String(written) if *written != text);
        let help = match number {
            Some(number) if is_given => {
                return Some(bound(text, BoundKind::Number(number)));
            }
            Some(_) => format!("write `{text}` without quotes"),
            None => {
                "for example `40`, `2026-12-31` or `2026-12-31T18:00:00Z`; a text is compared by `equals` or `match`".to_owned()
            }
        };
        let message = format!(
            "`{}` must be a number, or a date or date-time of ISO 8601, found `{}`",
            side.key(),
            json(&filled)
        );
        interpolation.report(Code::BadValue, node.span, message, Some(help));
        None
    }

    /// Whether a value is within the bound; `None` if they are of two kinds.
    pub(super) fn allows(&self, found: &Value) -> Option<bool> {
        match (&self.kind, found) {
            (BoundKind::Number(bound), Value::Number(found)) => {
                let order = compare_numbers(found, bound);
                Some(match self.side {
                    BoundSide::Min => order != Ordering::Less,
                    BoundSide::Max => order != Ordering::Greater,
                    BoundSide::Above => order == Ordering::Greater,
                    BoundSide::Below => order == Ordering::Less,
                })
            }
            (BoundKind::Date(bound), Value::String(text)) => {
                let found = DateOrTime::parse(text)?;
                Some(match self.side {
                    BoundSide::Min => found.is_at_least(*bound),
                    BoundSide::Max => found.is_at_most(*bound),
                    BoundSide::Above => found.is_above(*bound),
                    BoundSide::Below => found.is_below(*bound),
                })
            }
            _ => None,
        }
    }

    /// The type of the values with which it is compared, unless it is known later.
    pub(super) fn value_type(&self) -> Option<ValueType> {
        match self.kind {
            BoundKind::Number(_) => Some(ValueType::Number),
            BoundKind::Date(_) => Some(ValueType::String),
            BoundKind::Later => None,
        }
    }

    /// Whether no value is within both bounds.
    pub(super) fn excludes(&self, other: &Self) -> bool {
        let (lower, upper) = match (self.side.is_lower(), other.side.is_lower()) {
            (true, false) => (self, other),
            (false, true) => (other, self),
            _ => return false,
        };
        let is_exclusive = lower.side.is_exclusive() || upper.side.is_exclusive();
        match (&lower.kind, &upper.kind) {
            (BoundKind::Number(lower), BoundKind::Number(upper)) => {
                match compare_numbers(lower, upper) {
                    Ordering::Less => false,
                    Ordering::Equal => is_exclusive,
                    Ordering::Greater => true,
                }
            }
            (BoundKind::Date(lower), BoundKind::Date(upper)) => {
                lower.is_surely_after(*upper) || is_exclusive && lower == upper
            }
            _ => false,
        }
    }

    /// The bound in words: `at least 40`.
    pub(super) fn describe(&self) -> String {
        format!("{} {}", self.side.words(), self.written)
    }
}
