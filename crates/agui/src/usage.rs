//! The tokens that a terminal event reports.

use serde_json::Value;

use super::event::{FieldKey, WireEvent};
use super::warnings::{Warnings, shown};
use ananke_trace::trace::{Fact, Facts, ModelUsage, Unread, Usage};

/// The usage of a run, model by model; none if it reports none.
pub(super) fn usage(event: &WireEvent<'_>, warnings: &mut Warnings) -> Vec<ModelUsage> {
    let read = event.value(FieldKey::Usage, warnings);
    let parts = match read {
        Ok(Some(Value::Array(parts))) => parts,
        Ok(Some(one @ Value::Object(_))) => vec![one],
        Ok(None) => return Vec::new(),
        Ok(Some(_)) | Err(_) => {
            warnings.add(format!(
                "the `usage` of a `{}` cannot be read",
                event.kind()
            ));
            return Vec::new();
        }
    };
    let mut of_models = Vec::new();
    for part in &parts {
        let usage = of_model(part, event.kind(), warnings);
        let mut model = None;
        if let Some(Value::String(name)) = part.get("model") {
            model = Some(name.clone());
        }
        of_models.push(ModelUsage { usage, model });
    }
    of_models
}

/// Usage that is neither an object nor a list of them.
pub(super) fn unread_usage(event: &WireEvent<'_>) -> Option<Unread<'static>> {
    let facts = Facts::of(&[Fact::Usage]);
    let usage = event
        .value(FieldKey::Usage, &mut Warnings::default())
        .ok()??;
    let name = format!("key:{}.usage", shown(event.kind()));
    match &usage {
        Value::Object(_) => None,
        Value::Array(parts) => {
            let part = parts.iter().find(|part| !part.is_object())?;
            Some(Unread::other_kind(format!("{name}[]"), facts, part))
        }
        _ => Some(Unread::other_kind(name, facts, &usage)),
    }
}

fn of_model(part: &Value, event: &str, warnings: &mut Warnings) -> Usage {
    let mut number = |name: &str, converted: &str| {
        let value = part
            .get(name)
            .or_else(|| part.get(converted))
            .filter(|value| !value.is_null())?;
        // `10.0` is an integer in JSON too.
        let number = value.as_u64().or_else(|| {
            value
                .as_f64()
                .and_then(|value| format!("{value}").parse().ok())
        });
        if number.is_none() {
            let value = shown(&value.to_string());
            warnings.add(format!(
                "`{name}` of a `{event}` is `{value}`, not a count: it is taken as unknown"
            ));
        }
        number
    };
    Usage::reported(
        number("inputTokens", "input_tokens"),
        number("outputTokens", "output_tokens"),
        number("totalTokens", "total_tokens"),
    )
    .with_cached(number("cachedInputTokens", "cached_input_tokens"))
}
