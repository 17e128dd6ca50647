//! The request that a description of an API asks for: the POST at a path in its `openapi.json`.
//!
//! **Invariant:** references are followed to a limited depth, so that a description that refers to itself ends.

use serde_json::{Map, Value, json};
use url::Url;

use super::field_use::FieldUse;
use super::proposed_request::{ProposedContent, ProposedRequest};
use ananke_agents::TargetError;
use ananke_base::text::escape;
use ananke_model::variables::{literal, literal_value};

/// The deepest schema that is looked into.
const DEPTH: usize = 6;

/// The most fields or paths that a message names.
const MOST_NAMES: usize = 10;

const JSON: &str = "application/json";
const FORMS: [&str; 2] = ["application/x-www-form-urlencoded", "multipart/form-data"];

/// The answer of a description about a URL.
pub(super) enum Described {
    /// The request that is sent there.
    Request(Box<ProposedRequest>),
    /// The other paths that take a POST.
    OtherPaths(Vec<String>),
}

/// The request that `document` asks for at `url`.
///
/// # Errors
/// If fields are required, and nothing says what they are.
pub(super) fn request_of(document: &Value, url: &Url) -> Result<Option<Described>, TargetError> {
    let Value::Object(paths) = &document["paths"] else {
        return Ok(None);
    };
    // The other paths are kept for the message, because people often name the server and not its path.
    let mut others = Vec::new();
    for (path, methods) in paths {
        let Some(post) = methods.get("post") else {
            continue;
        };
        if is_at(path, url.path()) {
            return Description { document }.request(post, url).map(Some);
        }
        others.push(escape::line(path).into_owned());
    }
    others.truncate(MOST_NAMES);
    Ok(Some(Described::OtherPaths(others)))
}

/// Whether a path of the description is that of a URL. A server may be mounted below a prefix that its description does not have.
fn is_at(described: &str, path: &str) -> bool {
    let described = path_parts(described);
    let path = path_parts(path);
    let Some(skipped) = path.len().checked_sub(described.len()) else {
        return false;
    };
    let mut pairs = described.iter().zip(&path[skipped..]);
    let is_same = pairs.all(|(described, part)| described.starts_with('{') || described == part);
    // The root is at the end of every path.
    is_same && (skipped == 0 || !described.is_empty())
}

fn path_parts(path: &str) -> Vec<&str> {
    path.split('/').filter(|part| !part.is_empty()).collect()
}

/// A value as a form or a query has it.
fn form_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The first value that a schema itself gives.
fn example_of(schema: &Value) -> Option<&Value> {
    for key in ["default", "const", "example", "examples", "enum"] {
        let found = match schema.get(key) {
            // A default of null says that the field may be omitted, which a required one may not.
            None | Some(Value::Null) => None,
            Some(Value::Array(values)) if matches!(key, "examples" | "enum") => values.first(),
            found => found,
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// The first of the schemas that a value may have, apart from null.
fn first_choice(schema: &Value) -> Option<&Value> {
    for key in ["anyOf", "oneOf"] {
        if let Some(Value::Array(choices)) = schema.get(key) {
            return choices.iter().find(|choice| choice["type"] != "null");
        }
    }
    None
}

/// Whether a request is refused without a field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FieldNeed {
    Required,
    Optional,
}

impl FieldNeed {
    fn of(is_required: impl Into<bool>) -> Self {
        if is_required.into() {
            Self::Required
        } else {
            Self::Optional
        }
    }
}

/// A description of an API.
struct Description<'d> {
    document: &'d Value,
}

impl Description<'_> {
    fn request(&self, post: &Value, url: &Url) -> Result<Described, TargetError> {
        let content = &self.resolved(&post["requestBody"])["content"];
        let mut missing = Vec::new();
        let mut request = ProposedRequest::post(url, ProposedContent::None);

        // A server that takes JSON and forms gets JSON, because a form has no lists.
        if content[JSON].is_object() {
            let schema = &content[JSON]["schema"];
            request.fields = Some(self.properties(schema, 0).keys().cloned().collect());
            request.content = ProposedContent::Json(self.object(schema, &mut missing, 0));
        } else if let Some(form) = FORMS.iter().find(|form| content[*form].is_object()) {
            let fields = self.object(&content[*form]["schema"], &mut missing, 0);
            let mut pairs = Vec::new();
            for (name, value) in fields.as_object().into_iter().flatten() {
                pairs.push((name.clone(), form_text(value)));
            }
            request.content = ProposedContent::Form(pairs);
        }

        // Parameters in the path are in the URL already.
        for parameter in post["parameters"].as_array().into_iter().flatten() {
            let parameter = self.resolved(parameter);
            if parameter["in"] != "query" {
                continue;
            }
            let name = parameter["name"].as_str().unwrap_or_default();
            let is_given = request.query.iter().any(|(given, _)| given == name);
            if is_given {
                continue;
            }
            let need = FieldNeed::of(parameter["required"] == true);
            let value = self.field(name, &parameter["schema"], need, &mut missing, 0);
            if let Some(value) = value {
                request.query.push((name.to_owned(), form_text(&value)));
            }
        }
        if !missing.is_empty() {
            return Err(without_values(&missing));
        }
        let note = "Guess: from the names of the fields in `openapi.json`.";
        request.notes.push(note.to_owned());
        Ok(Described::Request(Box::new(request)))
    }

    /// The schema that a reference leads to, or the first of several that a value may have.
    fn resolved<'s>(&'s self, schema: &'s Value) -> &'s Value {
        let mut schema = schema;
        for _ in 0..DEPTH {
            let next = match schema.get("$ref") {
                Some(Value::String(reference)) => {
                    let pointer = reference.strip_prefix('#').unwrap_or(reference);
                    self.document.pointer(pointer)
                }
                _ => first_choice(schema),
            };
            match next {
                Some(next) => schema = next,
                None => return schema,
            }
        }
        schema
    }

    /// The properties of an object, with those of the schemas that it extends: each with whether it is required.
    fn properties(&self, schema: &Value, depth: usize) -> Map<String, Value> {
        let schema = self.resolved(schema);
        let mut properties = Map::new();
        if depth > DEPTH {
            return properties;
        }
        for part in schema["allOf"].as_array().into_iter().flatten() {
            properties.extend(self.properties(part, depth + 1));
        }
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            properties.insert(name.clone(), property.clone());
        }
        properties
    }

    fn required(&self, schema: &Value, depth: usize) -> Vec<String> {
        let schema = self.resolved(schema);
        let mut required = Vec::new();
        if depth > DEPTH {
            return required;
        }
        for part in schema["allOf"].as_array().into_iter().flatten() {
            required.extend(self.required(part, depth + 1));
        }
        for name in schema["required"].as_array().into_iter().flatten() {
            required.extend(name.as_str().map(str::to_owned));
        }
        required
    }

    /// An object with the fields that the agent needs.
    fn object(&self, schema: &Value, missing: &mut Vec<String>, depth: usize) -> Value {
        let properties = self.properties(schema, depth);
        let required = self.required(schema, depth);
        let mut object = Map::new();
        for (name, property) in &properties {
            let need = FieldNeed::of(required.contains(name));
            if let Some(value) = self.field(name, property, need, missing, depth) {
                object.insert(name.clone(), value);
            }
        }
        // Several fields may be what the user says: the likeliest is, and others only where they are required.
        let mut inputs = Vec::new();
        for (name, value) in &object {
            if value == "${INPUT}" {
                inputs.push(name.clone());
            }
        }
        let best = inputs.iter().min_by_key(|name| FieldUse::of_text(name));
        for name in &inputs {
            if Some(name) != best && !required.contains(name) {
                object.shift_remove(name);
            }
        }
        Value::Object(object)
    }

    /// The value of a field; `None` if it can be omitted, or if nothing says what it is.
    fn field(
        &self,
        name: &str,
        written: &Value,
        need: FieldNeed,
        missing: &mut Vec<String>,
        depth: usize,
    ) -> Option<Value> {
        if depth > DEPTH {
            return None;
        }
        let schema = self.resolved(written);
        let kind = schema["type"].as_str().unwrap_or_default();
        let is_choice = schema.get("enum").is_some() || schema.get("const").is_some();
        let field_use = match kind {
            "array" => FieldUse::of_list(name),
            "string" | "" if !is_choice && schema.get("properties").is_none() => {
                FieldUse::of_text(name)
            }
            _ => FieldUse::Other,
        };
        if let Some(template) = field_use.template() {
            return Some(template);
        }
        if need == FieldNeed::Optional {
            return None;
        }
        // The description of a field may have an example, and the type that it refers to as well.
        for described in [written, schema] {
            if let Some(example) = example_of(described) {
                return Some(literal_value(example.clone()));
            }
        }
        if schema.get("properties").is_some() || schema.get("allOf").is_some() {
            return Some(self.object(schema, missing, depth + 1));
        }
        if kind == "array" {
            let items = self.resolved(&schema["items"]);
            let item = self.object(items, missing, depth + 1);
            // An item of which nothing is known would be refused, and an empty list is mostly allowed.
            let items = if item == json!({}) {
                Vec::new()
            } else {
                vec![item]
            };
            return Some(Value::Array(items));
        }
        if kind == "object" {
            return Some(Value::Object(Map::new()));
        }
        missing.push(literal(name));
        None
    }
}

/// The error of a request that needs fields of which nothing says what they are.
pub(super) fn without_values(missing: &[String]) -> TargetError {
    let mut named = String::new();
    let mut fields = String::new();
    for name in missing.iter().take(MOST_NAMES) {
        let name = escape::line(name);
        let comma = if named.is_empty() { "" } else { ", " };
        named = format!("{named}{comma}`{name}`");
        fields = format!("{fields}, \"{name}\": …");
    }
    TargetError::new(format!(
        "the agent wants {named}, and nothing says what goes there"
    ))
    .with_help(format!(
        "write the body, with `${{INPUT}}` where the user speaks: `--body '{{\"message\": \"${{INPUT}}\"{fields}}}'`"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(document: &Value, url: &str) -> Result<Option<Described>, TargetError> {
        request_of(document, &url.parse().unwrap())
    }

    fn document(schema: &Value) -> Value {
        json!({
            "paths": { "/chat/{agent}": { "post": { "requestBody": { "content": { "application/json": { "schema": schema } } } } }, "/other": { "get": {} } },
            "components": { "schemas": {
                "Loop": { "type": "object", "required": ["next"], "properties": { "next": { "$ref": "#/components/schemas/Loop" } } },
                "Base": { "type": "object", "required": ["message"], "properties": { "message": { "type": "string" } } },
                "Language": { "enum": ["en", "de"] },
            } },
        })
    }

    #[test]
    fn a_body_is_made_by_the_names_of_its_fields() {
        for (schema, expected) in [
            (
                json!({ "type": "object", "required": ["question", "lang", "limit"], "properties": {
                    "question": { "type": "string" },
                    "sessionId": { "anyOf": [{ "type": "string" }, { "type": "null" }] },
                    "lang": { "$ref": "#/components/schemas/Language" },
                    "limit": { "type": "integer", "default": 5 },
                    "chat_history": { "type": "array", "items": {} },
                    "note": { "type": "string" },
                } }),
                json!({ "question": "${INPUT}", "sessionId": "${THREAD_ID}", "lang": "en", "limit": 5, "chat_history": "${HISTORY}" }),
            ),
            (
                json!({ "allOf": [{ "$ref": "#/components/schemas/Base" }, { "properties": { "text": { "type": "string" } } }] }),
                json!({ "message": "${INPUT}" }),
            ),
            (
                json!({ "type": "object", "required": ["newMessage"], "properties": {
                    "newMessage": { "type": "object", "required": ["parts"], "properties": {
                        "parts": { "type": "array", "items": { "type": "object", "properties": { "text": { "type": "string" } } } },
                    } },
                } }),
                json!({ "newMessage": { "parts": [{ "text": "${INPUT}" }] } }),
            ),
        ] {
            let found = described(&document(&schema), "http://h/api/chat/shop").unwrap();
            let Some(Described::Request(request)) = found else {
                panic!("{schema}");
            };
            assert_eq!(request.content, ProposedContent::Json(expected));
        }
    }

    #[test]
    fn what_a_description_does_not_say_is_named() {
        let schema = json!({ "type": "object", "required": ["message", "tenant"], "properties": { "message": { "type": "string" }, "tenant": { "type": "string" } } });
        let Err(error) = described(&document(&schema), "http://h/chat/a") else {
            panic!("nothing says what `tenant` is");
        };
        assert!(error.message.contains("`tenant`"), "{error}");
        let body = r#"--body '{"message": "${INPUT}", "tenant": …}'"#;
        assert!(error.help.is_some_and(|help| help.contains(body)));
        let found = described(&document(&schema), "http://h/nothing/here/a").unwrap();
        let Some(Described::OtherPaths(paths)) = found else {
            panic!("the path is another one");
        };
        assert_eq!(paths, ["/chat/{agent}"]);
        // A schema that refers to itself ends.
        let schema = json!({ "$ref": "#/components/schemas/Loop" });
        assert!(described(&document(&schema), "http://h/chat/a").is_ok());
        assert!(described(&json!([1]), "http://h/").unwrap().is_none());
    }
}
