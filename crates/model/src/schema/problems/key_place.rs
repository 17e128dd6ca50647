//! The place where an unknown key belongs, or the word that is meant by it.

use super::super::foreign_words::{meanings, sentence};
use super::super::schema_level::{self, SchemaLevel};
use super::super::{FileKind, here::Here, lazy_schema::LazySchema};
use super::Problems;
use ananke_base::source::{Entry, printable};
use ananke_base::text::nearest;

/// With how many problems before them unknown keys are looked for elsewhere.
const MOST_PLACED: usize = 100;

impl Problems<'_> {
    /// The place of an unknown key, or our name for a word of another tool.
    pub(super) fn place(
        &self,
        here: &mut Here<'_>,
        entry: &Entry,
        known: &[&str],
        levels: &[SchemaLevel],
    ) -> Option<String> {
        let key = entry.key.as_str();
        // So many are not read; each of them costs a walk through a part of the schema.
        if self.list.len() > MOST_PLACED {
            return None;
        }
        if let Some(sentence) = sentence(self.kind, entry, known) {
            return Some(sentence.to_owned());
        }
        let meanings = meanings(self.kind, key);
        if let Some(meaning) = meanings.iter().find(|meaning| known.contains(meaning)) {
            here.meant.push((*meaning).to_owned());
            return Some(format!("this is called `{meaning}` here"));
        }
        let properties = here.properties?;
        let place = |key| schema_level::place(self.schema, properties, levels, (key, &entry.value));
        let found = place(key);
        // A similar key of this mapping is more likely than the same key of a neighbour, and less likely than that of a level around.
        let is_certain = match &found {
            Some(found) => !found.is_in_neighbour,
            None => false,
        };
        if !is_certain && nearest(key, known.iter().copied()).is_some() {
            return None;
        }
        if let Some(found) = found {
            return Some(format!("`{}` belongs {}", printable(key), found.words));
        }
        if let Some((meaning, place)) = meanings
            .last()
            .and_then(|meaning| Some((meaning, place(meaning)?)))
        {
            return Some(format!(
                "this is called `{meaning}` here, and belongs {}",
                place.words
            ));
        }
        // Nothing of a case belongs in a file of YAML.
        if self.kind == FileKind::Case {
            return None;
        }
        let (other, file) = FileKind::ALL
            .iter()
            .zip(["in the config", "in a test file"])
            .find_map(|(kind, file)| {
                let schema = LazySchema::of(*kind);
                (!std::ptr::eq(schema, self.schema)).then_some((schema, file))
            })?;
        let top = other.root.get("properties")?.as_object()?;
        if top.contains_key(key) {
            return Some(format!("`{}` belongs {file}", printable(key)));
        }
        let place = schema_level::place(other, top, &[], (key, &entry.value))?.words;
        // The inner keys of a target are those of one protocol, so that elsewhere another key is meant.
        if place.contains("`target.") {
            return None;
        }
        Some(format!("`{}` belongs {file}, {place}", printable(key)))
    }
}
