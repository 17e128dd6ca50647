//! The calls that a declaration of tools would refuse, and their report as a document contains it.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::RecordedCall;
use ananke_base::context::interruption::{COMPUTING_TIME, within};
use ananke_base::message::DeclaredTool;
use ananke_base::text::{duration, nearest, truncate};
use ananke_derive::Mask;
use ananke_model::schema::{Undecided, ValueSchema};

/// A call that would be refused, and why.
#[derive(Clone, Debug, PartialEq, Mask, Serialize, JsonSchema)]
#[schemars(rename = "Refusal")]
pub struct RefusedCall {
    /// The call.
    #[serde(flatten)]
    pub call: RecordedCall,
    /// The place in the arguments, as a JSON Pointer; empty for the whole call.
    pub path: String,
    /// The reason why the place does not fit, at most 300 bytes.
    #[serde(serialize_with = "shortened")]
    pub message: String,
}

fn shortened<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    /// The longest message, in bytes.
    const SHOWN: usize = 300;
    serializer.serialize_str(&truncate::bytes(text, SHOWN))
}

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

/// Which recorded calls would be refused, as `ananke contract --json` prints it.
#[derive(Clone, Debug, Mask, Serialize, JsonSchema)]
pub struct ContractReport {
    /// The name of the target whose tools were listed.
    pub target: String,
    /// The calls that would be refused, in the order of the recordings, an entry for each place that does not fit.
    pub refusals: Vec<RefusedCall>,
    /// The number of recordings that were read.
    #[serde(skip)]
    pub recordings: usize,
    /// The number of calls that they have.
    #[serde(skip)]
    pub calls: usize,
}

/// How many calls were compared, and how many would be refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ContractCounts {
    /// The number of recordings that were read.
    pub recordings: usize,
    /// The number of calls that they have.
    pub calls: usize,
    /// The number of calls that would be refused.
    pub failed: usize,
}

impl ContractReport {
    /// The counts of the whole report.
    pub fn counts(&self) -> ContractCounts {
        ContractCounts {
            recordings: self.recordings,
            calls: self.calls,
            failed: self.refused_calls().count(),
        }
    }

    /// The calls that would be refused, each with the places that do not fit.
    pub fn refused_calls(&self) -> impl Iterator<Item = &[RefusedCall]> {
        self.refusals.chunk_by(|one, other| one.call == other.call)
    }
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
