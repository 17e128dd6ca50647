//! The tools that an agent declares, without the order that has no meaning.

use serde_json::Value;

use ananke_base::message::DeclaredTool;

/// Keywords of JSON Schema whose lists are sets.
const SETS: [&str; 2] = ["required", "type"];

/// Keywords of JSON Schema that contain values and not schemas.
const VALUES: [&str; 4] = ["default", "examples", "const", "enum"];

/// `tools` by name; those of one name stay in the order of the agent.
pub(super) fn by_name(tools: &[DeclaredTool]) -> Vec<&DeclaredTool> {
    let mut tools: Vec<&DeclaredTool> = tools.iter().collect();
    tools.sort_by(|one, other| one.name.cmp(&other.name));
    tools
}

/// A schema in which the lists that are sets are sorted.
pub(super) fn normalised(schema: &Value) -> Value {
    match schema {
        Value::Object(keywords) => {
            let keyword = |(key, value): (&String, &Value)| {
                let value = match value {
                    Value::Array(names) if SETS.contains(&key.as_str()) => {
                        Value::Array(sorted(names))
                    }
                    value if VALUES.contains(&key.as_str()) => value.clone(),
                    value => normalised(value),
                };
                (key.clone(), value)
            };
            Value::Object(keywords.iter().map(keyword).collect())
        }
        Value::Array(schemas) => Value::Array(schemas.iter().map(normalised).collect()),
        other => other.clone(),
    }
}

fn sorted(names: &[Value]) -> Vec<Value> {
    let mut names = names.to_vec();
    names.sort_by_cached_key(ToString::to_string);
    names
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_sets_are_sorted() {
        let schema = json!({
            "required": ["b", "a"], "properties": { "a": { "type": ["string", "null"], "enum": ["y", "x"] } },
            "default": { "required": ["b", "a"] }, "anyOf": [{ "required": ["d", "c"] }, { "type": "object" }],
        });
        let expected = json!({
            "required": ["a", "b"], "properties": { "a": { "type": ["null", "string"], "enum": ["y", "x"] } },
            "default": { "required": ["b", "a"] }, "anyOf": [{ "required": ["c", "d"] }, { "type": "object" }],
        });
        assert_eq!(normalised(&schema), expected);
    }
}
