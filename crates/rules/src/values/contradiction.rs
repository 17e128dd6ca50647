//! Conditions in one mapping that no value meets together: they are mistakes.

use serde_json::Value;

use super::bound::ValueBound;
use super::expected_value::{ExpectedValue, ValueComparison, text_of};
use ananke_model::model::{self, ValueType};
use ananke_model::variables::Interpolation;

/// The conditions that no value meets together, in words. What is known later contradicts nothing yet.
pub(super) fn contradiction(
    written: &model::ValueCondition,
    all: &[ExpectedValue],
    interpolation: &Interpolation<'_>,
) -> Option<String> {
    if all.len() > 1 && written.exists == Some(false) {
        return Some("a value that must not exist cannot meet another condition".to_owned());
    }
    let bounds = all.iter().filter_map(|expected| match expected {
        ExpectedValue::Bound(bound) => Some(bound),
        _ => None,
    });
    let bounds: Vec<&ValueBound> = bounds.collect();
    for (index, bound) in bounds.iter().enumerate() {
        let of_pair = |other: &&ValueBound| between(bound, other);
        if let Some(message) = bounds[index + 1..].iter().find_map(of_pair) {
            return Some(message);
        }
    }
    if has_no_type(all) || !is_met_by_own_values(written, all, interpolation) {
        let words: Vec<String> = all.iter().map(|expected| expected.describe("")).collect();
        return Some(format!("no value is {}", words.join(" and ")));
    }
    None
}

/// The contradiction between two bounds.
fn between(one: &ValueBound, other: &ValueBound) -> Option<String> {
    if let (Some(kind), Some(other_kind)) = (one.value_type(), other.value_type())
        && kind != other_kind
    {
        return Some(format!(
            "`{}` and `{}` are of two kinds: one is a number, the other a date",
            one.side.key(),
            other.side.key()
        ));
    }
    one.excludes(other)
        .then(|| format!("no value is {} and {}", one.describe(), other.describe()))
}

/// Whether a value of each type is refused by one of the conditions.
fn has_no_type(all: &[ExpectedValue]) -> bool {
    let types: Vec<&[ValueType]> = all.iter().filter_map(ExpectedValue::types).collect();
    let Some((first, others)) = types.split_first() else {
        return false;
    };
    !first
        .iter()
        .any(|kind| others.iter().all(|other| other.contains(kind)))
}

/// Whether one of the values that are written meets the other conditions; also if none is written, or something is known later.
fn is_met_by_own_values(
    written: &model::ValueCondition,
    all: &[ExpectedValue],
    interpolation: &Interpolation<'_>,
) -> bool {
    let model::ValueCondition {
        equals,
        one_of,
        contains,
        matches,
        schema,
        ..
    } = written;
    let mut nodes = equals.iter().chain(one_of.iter().flatten()).chain(schema);
    let mut texts = contains.iter().chain(matches);
    let waits = nodes.any(|node| interpolation.json_waits(node))
        || texts.any(|text| interpolation.waits(text));
    if all.len() < 2 || waits {
        return true;
    }
    let values: Vec<&Value> = all
        .iter()
        .flat_map(|expected| match expected {
            ExpectedValue::Equal(value) => std::slice::from_ref(value),
            ExpectedValue::OneOf(values) => values,
            _ => &[],
        })
        .collect();
    let meets_all = |value: &&Value| {
        let text = text_of(value);
        let mut known = all.iter().filter(|expected| !expected.is_later());
        known.all(|expected| expected.compare(value, &text) == ValueComparison::Met)
    };
    values.is_empty() || values.iter().any(meets_all)
}
