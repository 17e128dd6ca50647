//! The checks of the declarations of tools.

use std::collections::HashSet;

use serde_json::Value;

use ananke_base::message::DeclaredTool;
use ananke_model::schema::{SchemaError, Undecided, ValueSchema};
use ananke_trace::outcome::audit::{AuditCheck, AuditFinding};

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
        let mut find = |check, message: &str, write: &str| {
            let finding = AuditFinding::of_tool(check, &tool.name, message.to_owned());
            findings.push(finding.writing(None, write.to_owned()));
        };
        if !tool.name.is_empty() && !names.insert(tool.name.as_str()) {
            let message = "another tool has the same name";
            find(AuditCheck::DuplicateName, message, r#""name": "…""#);
        } else if let Some((check, message)) = wrong_name(&tool.name) {
            let name = Value::from(plain_name(&tool.name));
            find(check, &message, &format!(r#""name": {name}"#));
        }
        match &tool.input {
            None => {
                let message = "the tool has no schema of its arguments";
                let write = r#""inputSchema": { "type": "object", "properties": {} }"#;
                find(AuditCheck::MissingSchema, message, write);
            }
            Some(schema) if schema.get("type") != Some(&Value::from("object")) => {
                let message = "the schema of the arguments does not have `type: object`";
                find(AuditCheck::NoObjectSchema, message, r#""type": "object""#);
            }
            Some(_) => {}
        }
        let mut find = |check, message: String| {
            findings.push(AuditFinding::of_tool(check, &tool.name, message));
        };
        let mut compile = |schema: Option<&Value>, of: &str| {
            let schema = match ValueSchema::compile(schema?.clone()) {
                Ok(schema) => schema,
                Err(error) => {
                    find(AuditCheck::InvalidSchema, invalid_schema(of, &error));
                    return None;
                }
            };
            if let Some(Undecided { message }) = schema.unsupported() {
                let message =
                    format!("nothing can be checked against the schema of the {of}: {message}");
                find(AuditCheck::UncheckedSchema, message);
            }
            Some(schema)
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

/// The reason that a name is not one that every client takes.
fn wrong_name(name: &str) -> Option<(AuditCheck, String)> {
    if name.is_empty() {
        return Some((AuditCheck::MissingName, "a tool has no name".to_owned()));
    }
    (!is_plain_name(name)).then(|| {
        let allowed =
            format!("letters, digits, `_`, `-` and `.`, and at most {LONGEST_NAME} characters");
        (
            AuditCheck::OddName,
            format!("a name should have only {allowed}"),
        )
    })
}

fn invalid_schema(of: &str, error: &SchemaError) -> String {
    let pointer = error.pointer();
    let at = if pointer.is_empty() {
        String::new()
    } else {
        format!(" at `{pointer}`")
    };
    format!("the schema of the {of} is not valid{at}: {}", error.message)
}

fn is_plain_name(name: &str) -> bool {
    name.len() <= LONGEST_NAME && name.chars().all(is_plain)
}

fn is_plain(character: char) -> bool {
    character.is_ascii_alphanumeric() || "_-.".contains(character)
}

/// A name that every client takes, made of another one: `…` if there is nothing to make it of.
fn plain_name(name: &str) -> String {
    let plain = |character| if is_plain(character) { character } else { '_' };
    let made: String = name.chars().take(LONGEST_NAME).map(plain).collect();
    if made.chars().any(|character| character != '_') {
        made
    } else {
        "…".to_owned()
    }
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
            is_read_only: false,
            rest: Map::new(),
        };
        let object = || Some(json!({ "type": "object" }));
        let names = ["two words", "größe", "äöü", ""].map(plain_name);
        assert_eq!(names, ["two_words", "gr__e", "…", "…"]);
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
    }
}
