//! Pieces of schemas: since when the keys of a type exist, and one type of a union, chosen by `type`.

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
