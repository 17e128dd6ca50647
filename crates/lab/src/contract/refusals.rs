//! The calls that a declaration of tools would refuse, each with the reasons.

use std::collections::HashMap;

use ananke_base::context::interruption::{COMPUTING_TIME, within};
use ananke_base::message::DeclaredTool;
use ananke_base::text::{duration, nearest};
use ananke_model::schema::{Undecided, ValueSchema};
use ananke_trace::outcome::contract::{RecordedCall, RefusedCall};

/// The calls that `tools` would refuse, in their order; one for each place.
pub fn refusals(calls: &[RecordedCall], tools: &[DeclaredTool]) -> Vec<RefusedCall> {
    let mut schemas: HashMap<&str, Result<Option<ValueSchema>, String>> = HashMap::new();
    for tool in tools {
        let schema = tool.input.clone().map(ValueSchema::compile).transpose();
        let schema = schema.map_err(|error| {
            format!(
                "the schema of its arguments is not valid: {}",
                error.message
            )
        });
        // If several tools have one name, the first is called.
        schemas.entry(&tool.name).or_insert(schema);
    }
    let mut refused = Vec::new();
    for call in calls {
        let refusal = |path: String, message: String| RefusedCall {
            call: call.clone(),
            path,
            message,
        };
        match schemas.get(call.tool.as_str()) {
            None => {
                let near = nearest(&call.tool, schemas.keys().copied());
                let near = near
                    .map(|name| format!("; there is a tool `{name}`"))
                    .unwrap_or_default();
                refused.push(refusal(
                    String::new(),
                    format!("the tool is not declared{near}"),
                ));
            }
            Some(Err(why)) => refused.push(refusal(String::new(), why.clone())),
            Some(Ok(None)) => {}
            Some(Ok(Some(schema))) => {
                let checked = within(COMPUTING_TIME, || schema.mismatches(&call.args));
                let Ok(mismatches) = checked else {
                    let time = duration::chosen(COMPUTING_TIME);
                    let message = format!(
                        "the schema cannot be checked within {time}: it has too many ways to match"
                    );
                    refused.push(refusal(String::new(), message.clone()));
                    // Once is enough.
                    schemas.insert(&call.tool, Err(message));
                    continue;
                };
                match mismatches {
                    Ok(mismatches) => refused.extend(
                        mismatches
                            .into_iter()
                            .map(|mismatch| refusal(mismatch.pointer, mismatch.message)),
                    ),
                    Err(Undecided { message }) => {
                        let message = format!("the arguments cannot be checked: {message}");
                        refused.push(refusal(String::new(), message));
                    }
                }
            }
        }
    }
    refused
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::*;

    #[test]
    fn a_call_is_refused_for_each_place_that_does_not_fit() {
        let call = |tool: &str, args: Value| RecordedCall {
            test: "t".to_owned(),
            turn: 1,
            call: 1,
            tool: tool.to_owned(),
            args,
        };
        let tool = |name: &str, input: Option<Value>| DeclaredTool {
            name: name.to_owned(),
            description: String::new(),
            input,
            output: None,
            may_change_data: false,
            is_read_only: false,
            rest: Map::new(),
        };
        let strict = json!({ "properties": { "n": { "type": "integer" } }, "required": ["m"] });
        let tools = [
            tool("pay", Some(strict)),
            tool("free", None),
            tool("bad", Some(json!({ "type": 1 }))),
        ];
        for (call, expected) in [
            (call("pay", json!({ "n": 1, "m": 1 })), vec![]),
            (call("pay", json!({ "n": "1" })), vec!["/n", ""]),
            (call("free", json!("text")), vec![]),
            (call("bad", json!({})), vec![""]),
            (call("pays", json!({})), vec![""]),
        ] {
            let mut found: Vec<String> = refusals(std::slice::from_ref(&call), &tools)
                .into_iter()
                .map(|refusal| refusal.path)
                .collect();
            found.sort_by(|one, other| other.cmp(one));
            assert_eq!(found, expected, "{call:?}");
        }
    }
}
