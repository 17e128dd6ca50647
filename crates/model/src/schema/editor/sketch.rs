//! What an editor calls a mapping: its first keys, as in `{ exact, min, max }`. The names of types mean nothing to its readers.

use serde_json::{Map, Value};

use super::super::demands::keyword;
use super::super::union::tag;
use super::least::needed_keys;

/// The name of a mapping whose keys are names of the user's own.
pub(super) const OF_NAMES: &str = "{ NAME: … }";

/// The most keys in a name.
const SHOWN: usize = 3;

/// The name of a mapping: the keys that it needs, then the others.
pub(super) fn sketch(schema: &Value) -> String {
    let known = keyword(schema, "properties").and_then(Value::as_object);
    let mut keys = needed_keys(schema);
    for key in known.into_iter().flat_map(Map::keys) {
        if !keys.contains(&key.as_str()) {
            keys.push(key);
        }
    }
    let named = |key: &&str| match (*key, tag(schema)) {
        ("type", Some(tag)) => format!("type: {tag}"),
        (key, _) => key.to_owned(),
    };
    let more = if keys.len() > SHOWN { ", …" } else { "" };
    let shown: Vec<String> = keys.iter().take(SHOWN).map(named).collect();
    format!("{{ {}{more} }}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_mapping_is_called_by_its_keys() {
        for (schema, expected) in [
            (
                json!({ "properties": { "exact": {}, "min": {} } }),
                "{ exact, min }",
            ),
            (
                json!({ "properties": { "a": {}, "b": {}, "c": {}, "d": {} }, "required": ["d"] }),
                "{ d, a, b, … }",
            ),
            (
                json!({ "properties": { "type": { "const": "agui" }, "state": {} }, "required": ["type"] }),
                "{ type: agui, state }",
            ),
        ] {
            assert_eq!(sketch(&schema), expected);
        }
    }
}
