//! What makes the schema for editors: it finds its way through the schema of the program.

use serde_json::{Map, Value, json};

use super::super::demands::{is_demand, keyword};

/// The keyword for what an editor inserts.
pub(super) const SNIPPETS: &str = "defaultSnippets";

/// The most references and unions that are followed one after the other.
pub(super) const DEEPEST: usize = 8;

/// The syntax of what is inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syntax {
    Yaml,
    Json,
}

/// What makes the schema.
pub(super) struct EditorSchema<'s> {
    pub(super) definitions: Option<&'s Map<String, Value>>,
    pub(super) syntax: Syntax,
    /// The mappings that belong to a `type`, by name. Several unions have the same ones.
    pub(super) shared: Map<String, Value>,
}

impl<'s> EditorSchema<'s> {
    /// The schema that a reference leads to.
    pub(super) fn resolved(&self, schema: &'s Value) -> &'s Value {
        let target = keyword(schema, "$ref").and_then(Value::as_str);
        let name = target.and_then(|target| target.strip_prefix("#/definitions/"));
        name.and_then(|name| self.definitions?.get(name))
            .unwrap_or(schema)
    }

    /// The forms that a value can have, with references followed.
    pub(super) fn forms(&self, schema: &'s Value) -> Vec<&'s Value> {
        let resolved = self.resolved(schema);
        match branches(resolved) {
            Some(branches) => branches
                .iter()
                .flat_map(|branch| self.forms(branch))
                .collect(),
            None => vec![resolved],
        }
    }

    /// Whether a value can be a mapping or a list, by a form or an example.
    pub(super) fn is_structured(&self, schema: &'s Value) -> bool {
        self.forms(schema).into_iter().any(|form| {
            let kind = keyword(form, "type").and_then(Value::as_str);
            let is_any = kind.is_none()
                && keyword(form, "const").is_none()
                && keyword(form, "enum").is_none();
            let example = keyword(schema, "examples").and_then(|examples| examples.get(0));
            matches!(kind, Some("object" | "array"))
                || is_any
                    && example.is_some_and(|example| example.is_object() || example.is_array())
        })
    }
}

/// The branches of a union of values; what only demands keys is none.
pub(super) fn branches(schema: &Value) -> Option<&Vec<Value>> {
    let branches = ["oneOf", "anyOf"]
        .into_iter()
        .find_map(|union| keyword(schema, union)?.as_array())?;
    (!branches.iter().all(is_demand)).then_some(branches)
}

/// A condition that a mapping with one of these keys meets. A value that is not there yet is none: editors take every condition
/// on keys to be met by it.
pub(super) fn has(keys: &[&str]) -> Value {
    if keys.len() == 1 {
        return json!({ "type": "object", "required": keys });
    }
    let each: Vec<Value> = keys
        .iter()
        .map(|key| json!({ "required": [key] }))
        .collect();
    json!({ "type": "object", "anyOf": each })
}
