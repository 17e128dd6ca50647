//! The traceability extension: the metadata of a message, an artifact or a task contain the steps of the agent.

use serde_json::Value;

use super::ConventionChange;

/// The key of the metadata, without the scheme that some write before it.
const KEY: &str = "github.com/a2aproject/a2a-samples/extensions/traceability/v1/traceability";

/// The calls among the steps that `metadata` contains.
pub(super) fn read(metadata: &Value) -> Vec<ConventionChange> {
    if !matches!(metadata, Value::Object(_) | Value::Null) {
        return vec![ConventionChange::Unreadable(metadata.clone())];
    }
    let entries = metadata.as_object().into_iter().flatten();
    let traces = entries
        .filter(|(key, _)| key.trim_start_matches("https://") == KEY)
        .map(|(_, trace)| trace);
    let mut changes = Vec::new();
    for trace in traces {
        match trace.get("steps") {
            Some(Value::Array(steps)) => {
                for (step, number) in steps.iter().zip(1..) {
                    changes.extend(of_step(step, number));
                }
            }
            Some(Value::Null) => {}
            Some(steps) => changes.push(ConventionChange::Unreadable(steps.clone())),
            None if trace.is_object() => {}
            None => changes.push(ConventionChange::Unreadable(trace.clone())),
        }
    }
    changes
}

fn of_step(step: &Value, number: usize) -> Vec<ConventionChange> {
    let kind = step.get("call_type");
    if kind.is_some_and(Value::is_string) && kind.and_then(Value::as_str) != Some("TOOL") {
        return Vec::new();
    }
    let name = step.pointer("/step_action/tool_invocation/tool_name");
    let Some(name) = name.and_then(Value::as_str).map(str::to_owned) else {
        return vec![ConventionChange::Unreadable(step.clone())];
    };
    let args = step.pointer("/step_action/tool_invocation/parameters");
    let args = args.cloned().unwrap_or_default();
    let id = step
        .get("step_id")
        .and_then(Value::as_str)
        .filter(|id| !id.is_empty());
    let id = id.map_or_else(|| format!("step-{number}"), str::to_owned);
    let mut changes = vec![ConventionChange::Call {
        id: id.clone(),
        name: name.clone(),
        args,
    }];
    let error = step.get("error").filter(|error| !error.is_null());
    let result = step
        .get("outputs")
        .or_else(|| step.get("result"))
        .filter(|result| !result.is_null());
    if let Some(result) = error.or(result) {
        changes.push(ConventionChange::Result {
            id,
            name,
            result: result.clone(),
            is_error: Some(error.is_some()),
        });
    }
    changes
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn steps_with_tools_are_calls() {
        let steps = json!([
            { "step_id": "s", "call_type": "TOOL",
              "step_action": { "tool_invocation": { "tool_name": "ls", "parameters": { "path": "." } } } },
            { "call_type": "AGENT", "step_action": {} },
            { "call_type": "TOOL", "step_action": { "tool_invocation": { "tool_name": "rm" } }, "error": "denied" },
        ]);
        let call = |id: &str, name: &str, args: Value| ConventionChange::Call {
            id: id.to_owned(),
            name: name.to_owned(),
            args,
        };
        let denied = ConventionChange::Result {
            id: "step-3".to_owned(),
            name: "rm".to_owned(),
            result: json!("denied"),
            is_error: Some(true),
        };
        for key in [KEY.to_owned(), format!("https://{KEY}")] {
            let found = read(&json!({ key: { "trace_id": "t", "steps": steps } }));
            assert_eq!(
                found,
                [
                    call("s", "ls", json!({ "path": "." })),
                    call("step-3", "rm", Value::Null),
                    denied.clone()
                ]
            );
        }
        assert_eq!(read(&json!({ "other": { "steps": steps } })), []);
        for value in [
            json!({ "call_type": "TOOL" }),
            json!({ "call_type": ["TOOL"], "step_action": {} }),
            json!("step"),
        ] {
            let unreadable = ConventionChange::Unreadable(value.clone());
            assert_eq!(read(&json!({ KEY: { "steps": [value] } })), [unreadable]);
        }
        let unreadable = ConventionChange::Unreadable(json!("[]"));
        assert_eq!(read(&json!({ KEY: { "steps": "[]" } })), [unreadable]);
    }
}
