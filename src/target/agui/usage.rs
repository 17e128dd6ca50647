//! The tokens that a terminal event reports.

use serde_json::Value;

use super::event::{FieldKey, WireEvent};
use super::warnings::Warnings;
use crate::trace::Usage;

/// The usage of a run, all models together; `None` if it reports none.
pub(super) fn usage(event: &WireEvent<'_>, warnings: &mut Warnings) -> Option<Usage> {
    let read = event.value(FieldKey::Usage, warnings);
    let parts = match read {
        Ok(Some(Value::Array(parts))) => parts,
        Ok(Some(one @ Value::Object(_))) => vec![one],
        Ok(None) => return None,
        Ok(Some(_)) | Err(_) => {
            warnings.add(format!("the `usage` of a `{}` cannot be read", event.kind()));
            return None;
        }
    };
    parts.iter().map(of_model).reduce(|sum, part| sum + part)
}

fn of_model(part: &Value) -> Usage {
    let number = |name: &str, converted: &str| {
        let value = part.get(name).or_else(|| part.get(converted))?;
        // `10.0` is an integer in JSON too.
        value.as_u64().or_else(|| format!("{}", value.as_f64()?).parse().ok())
    };
    Usage::reported(
        number("inputTokens", "input_tokens"),
        number("outputTokens", "output_tokens"),
        number("totalTokens", "total_tokens"),
    )
}
