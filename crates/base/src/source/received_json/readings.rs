//! The meanings of an object with duplicate keys: programs that read it take the first value, the last, or both.
//! The reason why a text cannot be read.

use serde_json::Value;

/// The most values that a text may mean.
const MOST: usize = 64;

/// A value that a later one with the same key replaced.
#[derive(Debug, PartialEq)]
pub(super) struct Replaced {
    /// The keys and indexes that lead to it.
    pub(super) path: Vec<PathStep>,
    /// The value.
    pub(super) value: Value,
}

/// A key or an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PathStep {
    Key(String),
    Index(usize),
}

/// The values that a text can mean in addition to `last`, in which the last of duplicate keys count.
///
/// # Errors
/// If there are too many.
pub(super) fn others(last: &Value, replaced: &[Replaced]) -> Result<Vec<Value>, JsonError> {
    if replaced.is_empty() {
        return Ok(Vec::new());
    }
    let mut values = vec![last.clone()];
    // A value in another one comes before it: the outer one replaces it in turn.
    for Replaced { path, value } in replaced.iter().rev() {
        let mut more = Vec::new();
        for known in &values {
            let mut other = known.clone();
            if let Some(place) = find(&mut other, path) {
                place.clone_from(value);
                if !values.contains(&other) && !more.contains(&other) {
                    more.push(other);
                }
            }
        }
        values.extend(more);
        if values.len() > MOST {
            return Err(JsonError(format!(
                "its duplicate keys can mean more than {MOST} different values"
            )));
        }
    }
    values.remove(0);
    Ok(values)
}

fn find<'v>(value: &'v mut Value, path: &[PathStep]) -> Option<&'v mut Value> {
    path.iter().try_fold(value, |value, step| match step {
        PathStep::Key(key) => value.get_mut(key.as_str()),
        PathStep::Index(index) => value.get_mut(*index),
    })
}

/// A text that is not JSON: why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct JsonError(pub String);
