//! Titles of the parts of a schema: what editors call a value instead of `object` or `string`.

use serde_json::{Map, Value};

use super::union::{choosing_key, only_key, tag};

/// Gives every definition its name as a title: `client tool`.
pub(super) fn title_definitions(schema: &mut Value) {
    let definitions = schema.get_mut("definitions").and_then(Value::as_object_mut);
    for (name, definition) in definitions.into_iter().flatten() {
        if let Some(definition) = definition.as_object_mut() {
            definition
                .entry("title")
                .or_insert_with(|| words(name).into());
        }
    }
}

/// Gives every branch of a union a title. One that refers to a definition has that of the definition.
pub(super) fn title_branches(object: &mut Map<String, Value>) {
    for union in ["oneOf", "anyOf"] {
        let branches = object.get_mut(union).and_then(Value::as_array_mut);
        for branch in branches.into_iter().flatten() {
            let title = title(branch);
            if let (Some(title), Some(branch)) = (title, branch.as_object_mut()) {
                branch.entry("title").or_insert_with(|| title.into());
            }
        }
    }
}

/// The title of a branch: the word or the key that chooses it, or the kind of its values.
fn title(branch: &Value) -> Option<String> {
    if branch.get("$ref").is_some() {
        return None;
    }
    if let Some(constant) = branch.get("const") {
        return Some(
            constant
                .as_str()
                .map_or_else(|| constant.to_string(), str::to_owned),
        );
    }
    if let Some(key) = tag(branch)
        .or_else(|| only_key(branch))
        .or_else(|| choosing_key(branch))
    {
        return Some(key.to_owned());
    }
    let title = match branch.get("type").and_then(Value::as_str)? {
        "string" if branch.get("pattern").is_some() => "variable",
        "string" => "text",
        "integer" => "whole number",
        "number" => "number",
        "boolean" => "true or false",
        "array" => "list",
        _ => "mapping",
    };
    Some(title.to_owned())
}

/// The name of a type in words.
fn words(name: &str) -> String {
    let mut words = String::new();
    for (index, letter) in name.chars().enumerate() {
        if letter.is_ascii_uppercase() && index > 0 {
            words.push(' ');
        }
        words.push(letter.to_ascii_lowercase());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_branch_is_called_by_what_chooses_it() {
        for (branch, expected) in [
            (json!({ "type": "boolean", "const": false }), Some("false")),
            (json!({ "type": "string", "const": "final" }), Some("final")),
            (
                json!({ "properties": { "type": { "const": "agui" }, "endpoint": {} } }),
                Some("agui"),
            ),
            (
                json!({ "type": "object", "properties": { "say": {} } }),
                Some("say"),
            ),
            (json!({ "required": ["turns"] }), Some("turns")),
            (
                json!({ "type": "string", "pattern": "^\\$" }),
                Some("variable"),
            ),
            (json!({ "type": "array" }), Some("list")),
            (json!({ "$ref": "#/definitions/Hook" }), None),
        ] {
            assert_eq!(title(&branch).as_deref(), expected, "{branch}");
        }
    }

    #[test]
    fn a_definition_is_called_by_its_name_in_words() {
        assert_eq!(words("ClientTool"), "client tool");
        assert_eq!(words("Turn"), "turn");
    }
}
