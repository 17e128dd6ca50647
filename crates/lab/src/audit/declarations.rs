//! The checks of the declarations of tools.

use std::collections::HashSet;

use serde_json::Value;

use super::{AuditCheck, AuditFinding};
use ananke_base::message::DeclaredTool;
use ananke_model::schema::ValueSchema;

/// The longest name that every client takes.
const LONGEST_NAME: usize = 128;

/// A tool with its schemas, compiled as far as they are valid.
pub(super) struct CheckedTool<'t> {
    pub(super) tool: &'t DeclaredTool,
    pub(super) input: Option<ValueSchema>,
    pub(super) output: Option<ValueSchema>,
}

/// The tools with their schemas, and what is wrong with what they declare.
pub(super) fn checked(tools: &[DeclaredTool]) -> (Vec<CheckedTool<'_>>, Vec<AuditFinding>) {
    let (mut names, mut findings) = (HashSet::new(), Vec::new());
    let compiled = tools.iter().map(|tool| {
        let mut find = |check, message: String| {
            findings.push(AuditFinding::of_tool(check, &tool.name, message));
        };
        if tool.name.is_empty() {
            find(AuditCheck::MissingName, "a tool has no name".to_owned());
        } else if !names.insert(tool.name.as_str()) {
            find(
                AuditCheck::DuplicateName,
                "another tool has the same name".to_owned(),
            );
        } else if !is_plain_name(&tool.name) {
            let allowed =
                format!("letters, digits, `_`, `-` and `.`, and at most {LONGEST_NAME} characters");
            find(
                AuditCheck::OddName,
                format!("a name should have only {allowed}"),
            );
        }
        if tool.description.trim().is_empty() {
            find(
                AuditCheck::MissingDescription,
                "the tool has no description".to_owned(),
            );
        }
        match &tool.input {
            None => find(
                AuditCheck::MissingSchema,
                "the tool has no schema of its arguments".to_owned(),
            ),
            Some(schema) if schema.get("type") != Some(&Value::from("object")) => {
                find(
                    AuditCheck::NoObjectSchema,
                    "the schema of the arguments does not have `type: object`".to_owned(),
                );
            }
            Some(_) => {}
        }
        let mut compile = |schema: Option<&Value>, of: &str| {
            let compiled = ValueSchema::compile(schema?.clone());
            compiled
                .map_err(|error| {
                    let pointer = error.pointer();
                    let at = if pointer.is_empty() {
                        String::new()
                    } else {
                        format!(" at `{pointer}`")
                    };
                    let message =
                        format!("the schema of the {of} is not valid{at}: {}", error.message);
                    findings.push(AuditFinding::of_tool(
                        AuditCheck::InvalidSchema,
                        &tool.name,
                        message,
                    ));
                })
                .ok()
        };
        let input = compile(tool.input.as_ref(), "arguments");
        let output = compile(tool.output.as_ref(), "results");
        CheckedTool {
            tool,
            input,
            output,
        }
    });
    (compiled.collect(), findings)
}

fn is_plain_name(name: &str) -> bool {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "_-.".contains(character);
    name.len() <= LONGEST_NAME && name.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;

    #[test]
    fn what_is_wrong_with_a_declaration_is_found() {
        let tool = |name: &str, input: Option<Value>| DeclaredTool {
            name: name.to_owned(),
            description: "does it".to_owned(),
            input,
            output: None,
            may_change_data: false,
            rest: Map::new(),
        };
        let object = || Some(json!({ "type": "object" }));
        let found = |tools: &[DeclaredTool]| -> Vec<&str> {
            checked(tools)
                .1
                .iter()
                .map(|finding| finding.check.as_str())
                .collect()
        };
        assert_eq!(found(&[tool("a", object())]), [""; 0]);
        assert_eq!(found(&[tool("", object())]), ["missing-name"]);
        assert_eq!(
            found(&[tool("a", object()), tool("a", object())]),
            ["duplicate-name"]
        );
        assert_eq!(found(&[tool("a b", None)]), ["odd-name", "missing-schema"]);
        assert_eq!(found(&[tool("a", Some(json!({})))]), ["no-object-schema"]);
        assert_eq!(
            found(&[tool(
                "a",
                Some(json!({ "type": "object", "minProperties": -1 }))
            )]),
            ["invalid-schema"]
        );
        assert_eq!(
            found(&[DeclaredTool {
                description: " ".to_owned(),
                ..tool("a", object())
            }]),
            ["missing-description"]
        );
    }
}
