//! What events carry beside what the agent says and does: tokens, and the values only the agent itself understands.

use serde_json::Value;

use super::frame::{Frame, Key};
use super::warnings::Warnings;
use crate::trace::Usage;

/// What a run says that it took, all models together; `None` where it does not say.
pub(super) fn usage(frame: &Frame<'_>, warnings: &mut Warnings) -> Option<Usage> {
    let read = frame.value(Key::Usage, warnings);
    let parts = match read {
        Ok(Some(Value::Array(parts))) => parts,
        Ok(Some(one @ Value::Object(_))) => vec![one],
        Ok(None) => return None,
        Ok(Some(_)) | Err(_) => {
            warnings.add(format!("the `usage` of a `{}` cannot be read", frame.kind()));
            return None;
        }
    };
    parts.iter().map(of_model).reduce(|sum, part| sum + part)
}

fn of_model(part: &Value) -> Usage {
    let number = |name: &str, converted: &str| {
        let value = part.get(name).or_else(|| part.get(converted))?;
        // `10.0` is a whole number in JSON too.
        value.as_u64().or_else(|| format!("{}", value.as_f64()?).parse().ok())
    };
    Usage::reported(
        number("inputTokens", "input_tokens"),
        number("outputTokens", "output_tokens"),
        number("totalTokens", "total_tokens"),
    )
}

/// Whether a value that goes with an answer says that the call failed, and then whether it was denied.
///
/// Only pydantic-ai's is known. The protocol itself has no word for a call that failed.
pub(super) fn failure(encrypted_value: &str) -> Option<bool> {
    let value: Value = serde_json::from_str(encrypted_value).ok()?;
    match value.get("pydantic_ai")?.get("outcome")?.as_str()? {
        "failed" | "retried" => Some(false),
        "denied" => Some(true),
        _ => None,
    }
}
