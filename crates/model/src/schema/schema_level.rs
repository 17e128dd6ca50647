//! A mapping that a walk has gone through, and where the key of another mapping belongs.

use std::collections::VecDeque;

use serde_json::{Map, Value};

use super::{demands::least_keys, forms::forms, lazy_schema::LazySchema, union::own_names};
use ananke_base::source::Node;
use ananke_base::text::any_of;

/// The most keys that a searched place is deep.
const DEEPEST: usize = 3;

/// The most outer levels in which a key is looked for. A key that is indented too far is one or two levels too deep. If only a level
/// far outside has the key, another one was meant.
const FARTHEST: usize = 2;

/// The most places that are named.
const MOST_NAMED: usize = 5;

/// A mapping that a walk has gone through: its schema, the keys that its schema knows, and the one that the walk follows.
#[derive(Clone, Copy)]
pub(super) struct SchemaLevel {
    pub(super) schema: &'static Value,
    pub(super) properties: &'static Map<String, Value>,
    pub(super) key: &'static str,
}

impl SchemaLevel {
    /// Whether the mapping must have the key.
    pub(super) fn is_required(&self) -> bool {
        least_keys(self.schema).any(|key| key == self.key)
    }

    /// The key next to this one whose name is a longer form of its own: `forbid_calls` for `forbid`.
    pub(super) fn longer_sibling(&self) -> Option<&'static str> {
        let is_longer = |key: &&str| {
            key.strip_prefix(self.key)
                .is_some_and(|rest| rest.starts_with('_'))
        };
        self.properties.keys().map(String::as_str).find(is_longer)
    }
}

/// The right place of an unknown key, found by its name and the kind of its value.
pub(super) struct BelongingPlace {
    /// What stands after "`KEY` belongs".
    pub(super) words: String,
    /// Whether the key is known in a neighbour alone: a similar key of the mapping itself is more likely meant.
    pub(super) is_in_neighbour: bool,
}

/// The place where an entry belongs whose key does not exist in the mapping `here`, inside `levels`, outermost first: under
/// another key, or next to one. The places that can have its value come first.
pub(super) fn place(
    whole: &'static LazySchema,
    here: &'static Map<String, Value>,
    levels: &[SchemaLevel],
    (key, value): (&str, &Node),
) -> Option<BelongingPlace> {
    let fits = |property: &'static Value| {
        forms(whole, property, None)
            .iter()
            .any(|form| form.accepts(value))
    };
    place_among(whole, here, levels, key, &fits)
        .or_else(|| place_among(whole, here, levels, key, &|_| true))
}

fn place_among(
    whole: &'static LazySchema,
    here: &'static Map<String, Value>,
    levels: &[SchemaLevel],
    key: &str,
    fits: &dyn Fn(&'static Value) -> bool,
) -> Option<BelongingPlace> {
    let search = KeySearch { whole, key, fits };
    let own = search.below(here, None, DEEPEST);
    let outwards = levels.iter().rev().take(FARTHEST);
    let around = outwards
        .clone()
        .find(|level| search.is_in(level.properties));
    let next = around.map(|level| format!("next to `{}`", level.key));
    let words = match (own, next) {
        (Some(own), Some(next)) => format!("under {own}, or {next}"),
        (Some(own), None) => format!("under {own}"),
        (None, Some(next)) => next,
        (None, None) => {
            for level in outwards {
                if let Some(below) = search.below(level.properties, Some(level.key), 1) {
                    return Some(BelongingPlace {
                        words: format!("under {below}, next to `{}`", level.key),
                        is_in_neighbour: true,
                    });
                }
            }
            return None;
        }
    };
    Some(BelongingPlace {
        words,
        is_in_neighbour: false,
    })
}

/// A key that is looked for.
struct KeySearch<'s> {
    whole: &'static LazySchema,
    key: &'s str,
    /// Whether what the schema says of the key fits what is written.
    fits: &'s dyn Fn(&'static Value) -> bool,
}

impl KeySearch<'_> {
    fn is_in(&self, properties: &'static Map<String, Value>) -> bool {
        properties
            .get(self.key)
            .is_some_and(|property| (self.fits)(property))
    }

    /// The nearest places below a mapping that know the key, at most `deepest` keys away. It leaves out what is below the key
    /// `without`, and mappings that have that key too, which are of the same kind.
    fn below(
        &self,
        here: &'static Map<String, Value>,
        without: Option<&str>,
        mut deepest: usize,
    ) -> Option<String> {
        let mut open = VecDeque::from([(Vec::new(), here)]);
        let mut found: Vec<String> = Vec::new();
        while let Some((path, properties)) = open.pop_front() {
            if path.len() >= deepest {
                break;
            }
            for (name, schema) in properties
                .iter()
                .filter(|(name, _)| Some(name.as_str()) != without)
            {
                let path: Vec<&str> = path.iter().copied().chain([name.as_str()]).collect();
                for mapping in mappings(self.whole, schema) {
                    if without.is_some_and(|without| mapping.contains_key(without)) {
                        continue;
                    }
                    if self.is_in(mapping) {
                        deepest = path.len();
                        let shown = format!("`{}`", path.join("."));
                        if !found.contains(&shown) {
                            found.push(shown);
                        }
                    }
                    open.push_back((path.clone(), mapping));
                }
            }
        }
        found.truncate(MOST_NAMED);
        (!found.is_empty()).then(|| any_of(&found))
    }
}

/// The keys of every mapping that a value, or an entry of it, can be; none if its keys can be the user's own.
fn mappings(
    whole: &'static LazySchema,
    schema: &'static Value,
) -> impl Iterator<Item = &'static Map<String, Value>> {
    let own = own_names(schema);
    let all = forms(whole, schema, None)
        .into_iter()
        .filter(move |_| own.is_none())
        .flat_map(move |form| {
            let items = form
                .schema
                .get("items")
                .map(|items| forms(whole, items, None));
            items.into_iter().flatten().chain([form])
        });
    all.filter_map(|form| form.schema.get("properties")?.as_object())
}
