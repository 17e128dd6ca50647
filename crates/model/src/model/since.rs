//! Pieces of schemas: since when the keys of a type exist, which exclude each other, and one type of a union, chosen by `type`.

use schemars::Schema;
use schemars::transform::Transform;
use serde_json::{Map, Value, json};

/// Says of every key of a type, or of every form that it can have, since when it exists; one that says so itself keeps what
/// it says.
#[derive(Clone, Copy, Debug)]
pub struct Since(pub &'static str);

impl Transform for Since {
    fn transform(&mut self, schema: &mut Schema) {
        let since = |part: &mut Value| {
            if let Some(part) = <&mut Schema>::try_from(part)
                .ok()
                .map(Schema::ensure_object)
            {
                part.entry("x-since").or_insert_with(|| self.0.into());
            }
        };
        if let Some(keys) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            keys.values_mut().for_each(since);
        } else if let Some(forms) = schema.get_mut("oneOf").and_then(Value::as_array_mut) {
            forms.iter_mut().for_each(since);
        }
    }
}

/// Says of every key of a type that it is not older than this version, although keys that it shares with other types may be.
#[derive(Clone, Copy, Debug)]
pub struct NotBefore(pub &'static str);

impl Transform for NotBefore {
    fn transform(&mut self, schema: &mut Schema) {
        if let Some(Value::Object(keys)) = schema.get_mut("properties") {
            for key in keys.values_mut() {
                if key["x-since"].as_str() < Some(self.0) {
                    key["x-since"] = self.0.into();
                }
            }
        }
    }
}

/// Says of the forms of a value, or of those of every key of a type, that they are not older than this version, although other
/// keys have had `false` for longer.
#[derive(Clone, Copy, Debug)]
pub struct FormsSince(pub &'static str);

impl Transform for FormsSince {
    fn transform(&mut self, schema: &mut Schema) {
        if let Some(forms) = schema.get_mut("anyOf") {
            self.mark(forms);
        }
        if let Some(Value::Object(keys)) = schema.get_mut("properties") {
            for key in keys.values_mut() {
                if let Some(forms) = key.get_mut("anyOf") {
                    self.mark(forms);
                }
            }
        }
    }
}

impl FormsSince {
    /// Marks the forms of a union, also those of one within it.
    fn mark(self, forms: &mut Value) {
        let Value::Array(forms) = forms else {
            return;
        };
        for form in forms {
            if let Some(inner) = form.get_mut("anyOf") {
                self.mark(inner);
            }
            if let Some(Value::String(since)) = form.get_mut("x-since")
                && since.as_str() < self.0
            {
                self.0.clone_into(since);
            }
        }
    }
}

/// Says since when one value is allowed instead of a list: of a union's forms all but the list and `false`.
#[derive(Clone, Copy, Debug)]
pub struct OneSince(pub &'static str);

impl Transform for OneSince {
    fn transform(&mut self, schema: &mut Schema) {
        if let Some(forms) = schema.get_mut("anyOf") {
            self.mark(forms);
        }
    }
}

impl OneSince {
    /// Marks the forms of a union, also those of one within it.
    fn mark(self, forms: &mut Value) {
        let forms = forms.as_array_mut().into_iter().flatten();
        for form in forms.filter_map(Value::as_object_mut) {
            if let Some(inner) = form.get_mut("anyOf") {
                self.mark(inner);
                continue;
            }
            let is_other = |kind: &Value| kind == "array" || kind == "null";
            if !form.get("type").is_some_and(is_other) && !form.contains_key("const") {
                form.insert("x-since".to_owned(), self.0.into());
            }
        }
    }
}

/// Says of pairs of keys that a mapping has one of them at most, as what compiles the type does with an error that says more.
#[derive(Clone, Copy, Debug)]
pub struct Excludes(pub &'static [(&'static str, &'static str)]);

impl Transform for Excludes {
    fn transform(&mut self, schema: &mut Schema) {
        let pairs = self
            .0
            .iter()
            .map(|(one, other)| json!({ "not": { "required": [one, other] } }));
        schema.insert("allOf".to_owned(), pairs.collect());
    }
}

/// The key that chooses the type of a union.
pub const TYPE: &str = "type";

/// One type of a union: `keys` with the `type` that chooses it.
pub fn branch(name: &str, since: &str, mut keys: Schema) -> Value {
    let mut properties =
        Map::from_iter([(TYPE.to_owned(), json!({ "type": "string", "const": name }))]);
    properties.extend(take_properties(&mut keys));
    let mut required = vec![Value::from(TYPE)];
    if let Some(Value::Array(more)) = keys.remove("required") {
        required.extend(more);
    }
    json!({
        "description": keys.remove("description").unwrap_or_default(),
        "x-since": since,
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
        "required": required,
    })
}

/// The properties of `schema`, which loses them.
pub fn take_properties(schema: &mut Schema) -> Map<String, Value> {
    match schema.remove("properties") {
        Some(Value::Object(properties)) => properties,
        _ => Map::new(),
    }
}
