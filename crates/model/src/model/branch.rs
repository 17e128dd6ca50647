//! One type of a union in a schema: chosen by `type`.

use schemars::Schema;
use serde_json::{Map, Value, json};

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
