//! The targets in the schema of a config, made from the registry.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

use super::common::TargetCommon;
use super::extended::NamedTarget;
use super::registry::{Registration, protocols};
use ananke_base::source::{Node, NodeValue};
use ananke_model::model::{Text, branch, form, take_properties};

/// The agent under test: a target, or the name of one.
#[derive(Clone, Debug)]
pub enum ChosenTarget {
    /// The name of one that the config defines in `targets`.
    Named(Text),
    /// Written here, as it is.
    Own(Node),
}

impl<'de> Deserialize<'de> for ChosenTarget {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let node = Node::deserialize(deserializer)?;
        match node.value {
            NodeValue::Map(_) => Ok(Self::Own(node)),
            _ => form(&node).map(Self::Named),
        }
    }
}

impl JsonSchema for ChosenTarget {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "ChosenTarget".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let own = generator.subschema_for::<AnyTarget>();
        json_schema!({ "anyOf": [own, { "type": "string", "x-since": "1.3" }] })
    }
}

/// The targets of all protocols in the schema.
struct AnyTarget;

impl JsonSchema for AnyTarget {
    fn schema_name() -> Cow<'static, str> {
        "Target".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut branches = Vec::new();
        for protocol in protocols() {
            let schema = own(protocol, generator);
            branches.push(branch(protocol.name, protocol.since, schema));
        }
        json_schema!({
            "description": "The agent under test and how to reach it, by protocol.",
            "oneOf": branches,
        })
    }
}

/// The schema version that has named targets first.
const NAMED_SINCE: &str = "1.3";

impl JsonSchema for NamedTarget {
    fn schema_name() -> Cow<'static, str> {
        "NamedTarget".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut branches = Vec::new();
        for protocol in protocols() {
            // A target cannot be named in versions before there were names, however old its protocol is.
            let since = protocol.since.max(NAMED_SINCE);
            let schema = own(protocol, generator);
            branches.push(branch(protocol.name, since, schema));
        }
        branches.push(extended(generator));
        json_schema!({ "description": "A named target.", "oneOf": branches })
    }
}

/// The schema of a target that extends another. Its protocol is known only with the target that it extends, so it may have each
/// key of each protocol, and none is required. It has no `type` of its own.
fn extended(generator: &mut SchemaGenerator) -> Value {
    let extends = json!({
        "description": "The target to inherit from. Mappings are merged, `assert` is merged as an inner level; anything else is replaced.",
        "x-since": NAMED_SINCE,
        "type": "string",
        "examples": ["default"],
    });
    let mut keys = Map::from_iter([("extends".to_owned(), extends)]);
    for protocol in protocols() {
        for (key, mut property) in take_properties(&mut own(protocol, generator)) {
            if let Some(property) = property.as_object_mut() {
                // A target could not extend another before this version, however old the key is.
                raise(property, NAMED_SINCE);
                // One protocol's second spelling of a key may be another's first, so no spelling is marked as the second.
                property.shift_remove("x-spelling");
            }
            match keys.get_mut(&key) {
                // Several protocols have the key: every value that one of them allows must be valid here.
                Some(known) => add_values(known, property),
                None => {
                    keys.insert(key, property);
                }
            }
        }
    }
    json!({
        "description": "A target that inherits from another and lists the differences.",
        "x-since": NAMED_SINCE,
        "type": "object",
        "properties": keys,
        "additionalProperties": false,
        "required": ["extends"],
    })
}

/// Merges the schemas of a key that two protocols have: `known` also gets the values and descriptions of `other`. A value that is
/// wrong for the protocol of a target is found later, when the target is read.
fn add_values(known: &mut Value, mut other: Value) {
    // Only a closed set lists its values. A key without one keeps the schema of the first protocol.
    let Some(values) = closed_set(known) else {
        return;
    };
    let since = other.get("x-since").cloned();
    let Some(other_values) = closed_set(&mut other) else {
        return;
    };
    // The merged values are a copy, because they are used only if there is a new value among them.
    let mut merged = values.clone();
    for value in other_values.drain(..) {
        let mut candidates = merged.iter_mut();
        let same = candidates.find(|candidate| candidate.get("const") == value.get("const"));
        if let Some(same) = same {
            add_description(same, &value);
            continue;
        }
        // A value is as new as its key, unless it says otherwise.
        let mut value = value;
        if let Some(since) = &since
            && let Some(value) = value.as_object_mut()
        {
            value.entry("x-since").or_insert_with(|| since.clone());
        }
        merged.push(value);
    }
    // With the same values, the key means the same in both protocols, and the descriptions of the first one are enough.
    if merged.len() > values.len() {
        *values = merged;
        add_description(known, &other);
    }
}

/// The values of a key that is a closed set, whether it may be missing or not.
fn closed_set(property: &mut Value) -> Option<&mut Vec<Value>> {
    if property.get("anyOf").is_some() {
        let forms = property.get_mut("anyOf")?.as_array_mut()?;
        return forms.iter_mut().find_map(closed_set);
    }
    let values = property.get_mut("oneOf")?.as_array_mut()?;
    let is_closed = values.iter().all(|value| value.get("const").is_some());
    if is_closed { Some(values) } else { None }
}

/// Adds what another protocol says of the same thing, if it says something else.
fn add_description(known: &mut Value, other: &Value) {
    let Some(more) = other.get("description").and_then(Value::as_str) else {
        return;
    };
    if let Some(Value::String(description)) = known.get_mut("description")
        && !description.contains(more)
    {
        description.push(' ');
        description.push_str(more);
    }
}

/// The schema of the targets of one protocol: the protocol's own keys and those of every target, without `type`, which the caller
/// adds.
fn own(protocol: &Registration, generator: &mut SchemaGenerator) -> Schema {
    let mut schema = protocol.schema(generator);
    let mut properties = take_properties(&mut schema);
    for (key, mut property) in take_properties(&mut TargetCommon::json_schema(generator)) {
        if let Some(property) = property.as_object_mut() {
            // A key cannot be used in schema versions before the protocol, however old the key is.
            raise(property, protocol.since);
            // A common key may mean something special to this protocol.
            let mut descriptions = protocol.descriptions.iter();
            if let Some((_, description)) = descriptions.find(|(described, _)| *described == key) {
                property.insert("description".to_owned(), (*description).into());
            }
            // An idle key is wrong in this protocol. The schema has it nevertheless, so that a config with it gets a message that
            // gives the reason; editors do not offer it.
            if protocol.idle_keys.contains(&key.as_str()) {
                property.insert("doNotSuggest".to_owned(), true.into());
            }
        }
        properties.insert(key, property);
    }
    schema.insert("properties".to_owned(), Value::Object(properties));
    schema
}

/// A key is not older than the protocol that has it.
fn raise(property: &mut Map<String, Value>, since: &str) {
    if let Some(Value::String(own)) = property.get("x-since")
        && own.as_str() < since
    {
        property.insert("x-since".to_owned(), since.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_common_keys_are_those_of_the_type() {
        let keys = take_properties(&mut TargetCommon::json_schema(
            &mut SchemaGenerator::default(),
        ));
        assert_eq!(
            keys.keys().collect::<Vec<_>>(),
            TargetCommon::KEYS.iter().collect::<Vec<_>>()
        );
    }
}
