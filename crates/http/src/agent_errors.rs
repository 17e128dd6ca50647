//! Errors that the agent itself reports in its response.

use serde_json::Value;

use super::event::ResponseEvent;
use super::mapping::CompiledPick;
use super::path::Searched;
use super::step_condition::is_given;
use ananke_trace::trace::is_call;

/// The words of an error that `pick` finds.
pub(crate) fn error_in(pick: Option<&CompiledPick>, searched: Searched<'_>) -> Option<String> {
    let hits = pick?.find(searched, &mut Vec::new());
    let given = hits.into_iter().find(|hit| is_given(&hit.value))?;
    let value = given.value.into_owned();
    // A path may lead to the whole object of an error, and a report shows the sentence in it if there is one.
    let words = value.get("message").or_else(|| value.get("detail"));
    Some(match words.unwrap_or(&value) {
        Value::String(text) => text.clone(),
        _ => value.to_string(),
    })
}

/// Keys under which servers report that a turn has failed.
const ERROR_KEYS: [&str; 4] = ["error", "__error__", "errorMessage", "error_message"];

/// Whether an event is named after an error, or has one.
pub(crate) fn looks_like_error(event: &ResponseEvent) -> bool {
    let Value::Object(keys) = &event.value else {
        return event.name.as_deref() == Some("error");
    };
    // A call that failed has its error next to its name.
    if is_call(keys) {
        return false;
    }
    if event.name.as_deref() == Some("error") {
        return true;
    }
    for key in ["type", "event"] {
        if keys.get(key) == Some(&Value::from("error")) {
            return true;
        }
    }
    for key in ERROR_KEYS {
        if let Some(value) = keys.get(key)
            && is_given(value)
        {
            return true;
        }
    }
    false
}
