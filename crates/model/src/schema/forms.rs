//! The forms that a value can have by its schema, with references followed.

use serde_json::Value;

use super::demands::{is_demand, least_keys};
use super::lazy_schema::LazySchema;
use super::union::accepts;
use ananke_base::source::Node;

/// The most references and unions that are followed one after the other.
const DEEPEST: usize = 8;

/// One form of a value.
#[derive(Clone, Copy)]
pub(super) struct Form<'a> {
    whole: &'a LazySchema,
    /// The definition that it is, or that a union is whose branch it is.
    pub(super) name: Option<&'a str>,
    pub(super) schema: &'a Value,
}

/// The forms of `schema`, which is that of the definition `name` if it has one.
pub(super) fn forms<'a>(
    whole: &'a LazySchema,
    schema: &'a Value,
    name: Option<&'a str>,
) -> Vec<Form<'a>> {
    let mut found = Vec::new();
    collect(
        Form {
            whole,
            name,
            schema,
        },
        DEEPEST,
        &mut found,
    );
    found
}

fn collect<'a>(form: Form<'a>, left: usize, found: &mut Vec<Form<'a>>) {
    let Some(left) = left.checked_sub(1) else {
        return;
    };
    if let Some(target) = form.schema.get("$ref").and_then(Value::as_str) {
        if let Some(schema) = form.whole.definition(target) {
            let name = target.rsplit('/').next().or(form.name);
            collect(
                Form {
                    name,
                    schema,
                    ..form
                },
                left,
                found,
            );
        }
        return;
    }
    let branches = ["anyOf", "oneOf"]
        .iter()
        .find_map(|key| form.schema.get(key)?.as_array());
    match branches.filter(|branches| !branches.iter().all(is_demand)) {
        Some(branches) => {
            for schema in branches {
                collect(Form { schema, ..form }, left, found);
            }
        }
        None => found.push(form),
    }
}

impl<'a> Form<'a> {
    /// Whether it is of the type that schemas call so.
    pub(super) fn is_of(&self, name: &str) -> bool {
        self.schema.get("type").and_then(Value::as_str) == Some(name)
    }

    /// Whether a text may be any.
    pub(super) fn takes_any_text(&self) -> bool {
        ["pattern", "enum", "const"]
            .iter()
            .all(|key| self.schema.get(key).is_none())
    }

    /// Whether it is `false` alone.
    pub(super) fn is_false(&self) -> bool {
        self.schema.get("const") == Some(&Value::Bool(false))
    }

    /// Whether it takes a value of this type.
    pub(super) fn accepts(&self, node: &Node) -> bool {
        accepts(self.schema, node)
    }

    /// Whether it has each key of a mapping, if it names its keys.
    pub(super) fn has_keys_of(&self, node: &Node) -> bool {
        let is_known = |key: &str| self.property(key).is_some();
        self.schema.get("properties").is_none()
            || node.entries().iter().all(|entry| is_known(&entry.key))
    }

    /// The forms that the entries of a list can have.
    pub(super) fn items(&self) -> Option<Forms<'a>> {
        Some(Forms(forms(self.whole, self.schema.get("items")?, None)))
    }

    /// The forms that the value of a key can have.
    pub(super) fn property(&self, key: &str) -> Option<Forms<'a>> {
        Some(Forms(forms(
            self.whole,
            self.schema.get("properties")?.get(key)?,
            None,
        )))
    }

    /// The key that a mapping must have, where it is a single one.
    pub(super) fn only_demand(&self) -> Option<&'a str> {
        let mut keys = least_keys(self.schema);
        keys.next().filter(|_| keys.next().is_none())
    }

    /// Whether a mapping can do without further keys if it has this one.
    pub(super) fn demands_at_most(&self, key: &str) -> bool {
        least_keys(self.schema).all(|demand| demand == key)
    }
}

/// The forms of one value.
pub(super) struct Forms<'a>(pub(super) Vec<Form<'a>>);

impl Forms<'_> {
    /// Whether one of them takes a value of this type.
    pub(super) fn accepts(&self, node: &Node) -> bool {
        self.0.iter().any(|form| form.accepts(node))
    }
}
