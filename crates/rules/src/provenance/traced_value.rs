//! A value that is looked for, and how it is compared.

use serde_json::Value;

use super::source::ProvenanceSource;
use super::word::{digits, digits_key, json_number, number};
use crate::select::ToolName;
use ananke_model::model::Normalisation;
use ananke_model::variables::Pattern;
use ananke_trace::trace::Path;

/// The least number of characters of a value that can be traced.
const SHORTEST: usize = 4;

/// The least number of digits that are enough if there is nothing else.
const FEWEST_DIGITS: usize = 3;

/// The changes to texts before they are compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Normaliser(pub(super) Vec<Normalisation>);

impl Normaliser {
    /// A source as it is compared.
    pub(super) fn source(&self, text: &str) -> String {
        self.0
            .iter()
            .fold(text.to_owned(), |text, step| match step {
                Normalisation::Lower => text.to_lowercase(),
                Normalisation::Trim => text.trim().to_owned(),
                // Which digits of a source belong together is known when it is split.
                Normalisation::Digits => text,
            })
    }

    /// A value as it is compared; of its digits alone if that is how it is compared and it has some.
    fn value(&self, text: &str) -> String {
        let text = self.source(text);
        let digits = if self.has_digits() {
            digits(&text)
        } else {
            String::new()
        };
        if digits.is_empty() { text } else { digits }
    }

    /// Whether digits alone are compared.
    pub(super) fn has_digits(&self) -> bool {
        self.0.contains(&Normalisation::Digits)
    }
}

/// A value as it is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TracedValue {
    /// As it is shown.
    pub(super) shown: String,
    /// As it is compared.
    pub(super) text: String,
    /// The number that it is, if it is one.
    pub(super) number: Option<String>,
    /// Its digits, if it is a number in JSON and digits alone are compared.
    digits: Option<String>,
    /// Whether it is a number in JSON: a word of a text is none.
    is_json_number: bool,
    /// Whether it is long enough to be traced.
    pub(super) is_traceable: bool,
}

impl TracedValue {
    /// A text.
    pub(super) fn of_text(text: &str, normaliser: &Normaliser) -> Self {
        let compared = normaliser.value(text);
        let is_traceable = is_traceable(&compared);
        Self {
            shown: text.to_owned(),
            number: number(&compared),
            text: compared,
            digits: None,
            is_json_number: false,
            is_traceable,
        }
    }

    /// The keys of the texts that it is equal to.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        let text = (!self.is_json_number).then_some(self.text.as_str());
        self.number
            .as_deref()
            .into_iter()
            .chain(self.digits.as_deref())
            .chain(text)
    }

    /// A scalar; `None` of a list or a mapping.
    pub(super) fn of_scalar(value: &Value, normaliser: &Normaliser) -> Option<Self> {
        match value {
            Value::String(text) => Some(Self::of_text(text, normaliser)),
            Value::Number(written) => {
                let of_text = Self::of_text(&written.to_string(), normaliser);
                Some(Self {
                    number: Some(json_number(value)),
                    digits: normaliser.has_digits().then(|| digits_key(&of_text.text)),
                    is_json_number: true,
                    ..of_text
                })
            }
            Value::Bool(_) | Value::Null => {
                let of_text = Self::of_text(&value.to_string(), normaliser);
                Some(Self {
                    is_traceable: false,
                    ..of_text
                })
            }
            Value::Array(_) | Value::Object(_) => None,
        }
    }
}

/// Adds the scalars inside a value, each with its path.
pub(super) fn scalars<'v>(value: &'v Value, path: &str, found: &mut Vec<(String, &'v Value)>) {
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                scalars(item, &Path::within(path, &index.to_string()), found);
            }
        }
        Value::Object(entries) => {
            for (key, value) in entries {
                scalars(value, &Path::within(path, key), found);
            }
        }
        scalar => found.push((path.to_owned(), scalar)),
    }
}

/// Whether a text is long enough to be found by more than chance.
pub(super) fn is_traceable(text: &str) -> bool {
    let is_number = text
        .chars()
        .all(|sign| sign.is_ascii_digit() || matches!(sign, '.' | '-' | '+'));
    if is_number {
        return text.chars().filter(char::is_ascii_digit).count() >= FEWEST_DIGITS;
    }
    text.trim().chars().count() >= SHORTEST
}

/// The values that are traced.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Traced {
    /// Arguments of calls; all of them without a path.
    Arguments { tool: ToolName, paths: Vec<Path> },
    /// The text that a pattern finds in the agent's messages.
    Said(Pattern),
}

/// A rule while a test runs.
pub(super) struct Tracing {
    pub(super) expected: String,
    pub(super) name: Option<String>,
    pub(super) of: Traced,
    pub(super) from: Vec<ProvenanceSource>,
    pub(super) not_from: Vec<ProvenanceSource>,
    pub(super) normaliser: Normaliser,
    pub(super) is_strict: bool,
}

impl Tracing {
    /// Whether a value is one that is written as a source, however short it is.
    pub(super) fn settles(&self, value: &TracedValue) -> bool {
        let mut literals = literals(&self.from)
            .filter_map(|literal| TracedValue::of_scalar(literal, &self.normaliser));
        literals.any(|literal| {
            literal.text == value.text || literal.number.is_some() && literal.number == value.number
        })
    }
}

/// The values that are written as sources.
pub(super) fn literals(sources: &[ProvenanceSource]) -> impl Iterator<Item = &Value> {
    sources.iter().flat_map(|source| match source {
        ProvenanceSource::Literal(values) => values.as_slice(),
        _ => &[],
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_too_short_cannot_be_traced() {
        let is_traceable = |value: Value| {
            TracedValue::of_scalar(&value, &Normaliser::default()).map(|value| value.is_traceable)
        };
        for (value, expected) in [
            (json!("O-71"), Some(true)),
            (json!("O-7"), Some(false)),
            (json!(123), Some(true)),
            (json!("-12"), Some(false)),
            (json!(1.25), Some(true)),
            (json!(true), Some(false)),
            (json!(null), Some(false)),
            (json!(["long enough"]), None),
        ] {
            assert_eq!(is_traceable(value.clone()), expected, "{value}");
        }
    }
}
