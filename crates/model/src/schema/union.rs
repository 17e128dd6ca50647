//! The branch of a union that a value is meant to be.

use serde_json::Value;

use super::FileKind;
use super::demands::keyword;
use super::foreign_words::meanings;

use ananke_base::source::{Entry, Node, NodeValue};

/// The branch of a union that a value is meant to be, or why none is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Branch<'a> {
    /// The branch at this index.
    At(usize),
    /// The union holds mappings, this is none.
    NoMapping,
    /// `type` names no branch.
    UnknownTag(&'a Node),
    /// `type` is missing, and nothing is meant without it.
    NoTag,
    /// The keys name no branch, or more than one.
    WrongKeys,
    /// The value is none of the allowed ones.
    UnknownValue,
    /// No branch takes a value of this type.
    WrongType,
}

/// The tag of a branch of a union discriminated by `type`.
pub(super) fn tag(branch: &Value) -> Option<&str> {
    keyword(keyword(branch, "properties")?.get("type")?, "const")?.as_str()
}

/// Whether a branch must say its `type`.
pub(super) fn needs_tag(branch: &Value) -> bool {
    let required = keyword(branch, "required").and_then(Value::as_array);
    tag(branch).is_some() && required.is_some_and(|keys| keys.iter().any(|key| key == "type"))
}

/// The only key of a branch of a union discriminated by its key.
pub(super) fn only_key(branch: &Value) -> Option<&str> {
    let properties = keyword(branch, "properties")?.as_object()?;
    match (properties.len(), properties.keys().next()) {
        (1, Some(key)) if tag(branch).is_none() => Some(key),
        _ => None,
    }
}

/// The key that chooses a branch without a `type` if other branches have one.
pub(super) fn choosing_key(branch: &Value) -> Option<&str> {
    match keyword(branch, "required")?.as_array()?.as_slice() {
        [key] if tag(branch).is_none() => key.as_str(),
        _ => None,
    }
}

/// The keys of `node` that the branch at `chosen` does not know and others do, by this name or another (`meanings`): each with that
/// name, and their tags.
pub(super) fn of_others<'a, 'n>(
    kind: FileKind,
    branches: &'a [Value],
    chosen: usize,
    node: &'n Node,
) -> impl Iterator<Item = (&'n str, &'n str, Vec<&'a str>)> {
    let unknown = move |key: &&str| {
        branches
            .get(chosen)
            .is_some_and(|branch| !knows(branch, key))
    };
    let keys = node
        .entries()
        .iter()
        .map(|entry| entry.key.as_str())
        .filter(unknown);
    let tags_of = |name: &str| -> Vec<&'a str> {
        let knowing = branches.iter().filter(|branch| knows(branch, name));
        knowing.filter_map(tag).collect()
    };
    let with_tags = move |key: &'n str| {
        let is_known_here = |name: &&str| {
            branches
                .get(chosen)
                .is_some_and(|branch| knows(branch, name))
        };
        let mut names = meanings(kind, key);
        if names.iter().any(is_known_here) {
            names = &[];
        }
        let names = [key].into_iter().chain(names.iter().copied());
        names
            .map(|name| (key, name, tags_of(name)))
            .find(|(.., tags)| !tags.is_empty())
    };
    keys.filter_map(with_tags)
}

fn knows(branch: &Value, key: &str) -> bool {
    keyword(branch, "properties").is_some_and(|properties| properties.get(key).is_some())
}

/// Picks the branch of a `oneOf`.
pub(super) fn pick<'a>(branches: &[Value], node: &'a Node) -> Branch<'a> {
    if branches.iter().any(|branch| tag(branch).is_some()) {
        let chosen =
            |branch: &Value| choosing_key(branch).is_some_and(|key| node.get(key).is_some());
        let chosen = branches.iter().position(chosen);
        return chosen.map_or_else(|| pick_by_tag(branches, node), Branch::At);
    }
    if branches.iter().all(|branch| only_key(branch).is_some()) {
        return match (&node.value, node.entries()) {
            (NodeValue::Map(_), [entry]) => branches
                .iter()
                .position(|branch| only_key(branch) == Some(&entry.key))
                .map_or(Branch::WrongKeys, Branch::At),
            (NodeValue::Map(_), _) => Branch::WrongKeys,
            _ => Branch::NoMapping,
        };
    }
    if branches
        .iter()
        .all(|branch| keyword(branch, "const").is_some())
    {
        let is_it = |branch: &Value| {
            keyword(branch, "const").is_some_and(|constant| node.is_scalar(constant))
        };
        let position = branches.iter().position(is_it);
        return position.map_or(Branch::UnknownValue, Branch::At);
    }
    // Plain words as well as mappings with one key each.
    let by_key = |branch: &&Value| only_key(branch).is_some();
    if matches!(node.value, NodeValue::Map(_))
        && branches.iter().filter(by_key).count() > 1
        && branches
            .iter()
            .all(|branch| only_key(branch).is_some() || keyword(branch, "const").is_some())
    {
        let [entry] = node.entries() else {
            return Branch::WrongKeys;
        };
        let position = branches
            .iter()
            .position(|branch| only_key(branch) == Some(&entry.key));
        return position.map_or(Branch::WrongKeys, Branch::At);
    }
    pick_by_type(branches, node)
}

fn pick_by_tag<'a>(branches: &[Value], node: &'a Node) -> Branch<'a> {
    if !matches!(node.value, NodeValue::Map(_)) {
        return Branch::NoMapping;
    }
    let untagged = |branch: &Value| tag(branch).is_some() && !needs_tag(branch);
    match node.get("type") {
        Some(written) => branches
            .iter()
            .position(|branch| written.as_str().is_some() && tag(branch) == written.as_str())
            .map_or(Branch::UnknownTag(written), Branch::At),
        None => branches
            .iter()
            .position(untagged)
            .map_or(Branch::NoTag, Branch::At),
    }
}

/// Picks the branch of an `anyOf` that takes values of this type.
pub(super) fn pick_by_type<'a>(branches: &[Value], node: &Node) -> Branch<'a> {
    let position = branches.iter().position(|branch| accepts(branch, node));
    position.map_or(Branch::WrongType, Branch::At)
}

/// Whether a branch takes values of this type, by its own keywords (a reference is to a mapping). One whose keys are the user's
/// own can refuse the keys of another branch.
pub(super) fn accepts(branch: &Value, node: &Node) -> bool {
    let refused = refused_names(branch);
    if node.entries().iter().any(|entry| is_word(refused, entry)) {
        return false;
    }
    match (
        keyword(branch, "const"),
        keyword(branch, "type").and_then(Value::as_str),
    ) {
        (Some(constant), _) => node.is_scalar(constant),
        (None, Some(name)) => is_of_type(node, name),
        (None, None) => matches!(node.value, NodeValue::Map(_)),
    }
}

/// The words of a mapping whose keys are either these or names of the user's own.
pub(super) fn own_names(schema: &Value) -> Option<&Vec<Value>> {
    let branches = keyword(schema, "anyOf")?.as_array()?;
    branches.iter().find_map(refused_names)
}

/// The names that a branch refuses as keys.
fn refused_names(branch: &Value) -> Option<&Vec<Value>> {
    keyword(branch, "propertyNames")?["not"]["enum"].as_array()
}

fn is_word(words: Option<&Vec<Value>>, entry: &Entry) -> bool {
    words.is_some_and(|words| words.iter().any(|word| *word == entry.key))
}

/// In a mapping whose keys are either the words of one branch or names of the user's own: a name, and a word next to it; or a
/// word alone whose value shows that it is meant as a name.
pub(super) fn mixed_keys<'n>(
    branches: &[Value],
    node: &'n Node,
) -> Option<(Option<&'n Entry>, &'n Entry)> {
    /// The words whose values can be mappings.
    const WITH_MAPPING: [&str; 3] = ["equals", "schema", "length"];
    let words = branches.iter().find_map(refused_names)?;
    let is_mapping = |entry: &&Entry| matches!(entry.value.value, NodeValue::Map(_));
    let (known, names): (Vec<&Entry>, Vec<&Entry>) = node
        .entries()
        .iter()
        .partition(|entry| is_word(Some(words), entry));
    let name = names.into_iter().find(is_mapping);
    let meant = known
        .iter()
        .copied()
        .filter(|entry| !WITH_MAPPING.contains(&entry.key.as_str()))
        .find(is_mapping);
    match (name, meant) {
        (_, Some(word)) => Some((None, word)),
        (Some(name), None) => Some((Some(name), known.first().copied()?)),
        (None, None) => None,
    }
}

/// Whether a value is of the type that schemas call `name`.
pub(super) fn is_of_type(node: &Node, name: &str) -> bool {
    match &node.value {
        NodeValue::Null => name == "null",
        NodeValue::Bool(_) => name == "boolean",
        NodeValue::Number(number) => {
            name == "number"
                || name == "integer" && number.as_f64().is_some_and(|value| value.fract() == 0.0)
        }
        NodeValue::String(_) => name == "string",
        NodeValue::List(_) => name == "array",
        NodeValue::Map(_) => name == "object",
    }
}

/// Whether a schema takes every value.
pub(super) fn is_free(schema: &Value) -> bool {
    !["type", "$ref", "anyOf", "oneOf", "const", "enum"]
        .iter()
        .any(|key| schema.get(key).is_some())
}
