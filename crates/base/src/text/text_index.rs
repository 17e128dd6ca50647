//! Finds values by texts that are kept elsewhere: an agent may send a million ids, and each is looked up in several ways.
//!
//! A value says where its text is (the place of a message that has its id), and the text is not kept again. **Invariant:**
//! each function is given the same `text_of`, which has a text for every value that was inserted.

use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// Values by their texts, of which each has one value.
#[derive(Clone, Debug)]
pub struct TextIndex<T> {
    table: HashTable<T>,
    state: RandomState,
}

impl<T> Default for TextIndex<T> {
    fn default() -> Self {
        Self {
            table: HashTable::new(),
            state: RandomState::new(),
        }
    }
}

impl<T> TextIndex<T> {
    /// The value of `text`.
    pub fn get<'t>(&self, text: &str, text_of: impl Fn(&T) -> &'t str) -> Option<&T> {
        self.table
            .find(self.state.hash_one(text), |value| text_of(value) == text)
    }

    /// The value of `text`, to change.
    pub fn get_mut<'t>(&mut self, text: &str, text_of: impl Fn(&T) -> &'t str) -> Option<&mut T> {
        self.table
            .find_mut(self.state.hash_one(text), |value| text_of(value) == text)
    }

    /// Gives `text` a value, which replaces the one that it has.
    pub fn insert<'t>(&mut self, text: &str, value: T, text_of: impl Fn(&T) -> &'t str) {
        let hash = |text: &str| self.state.hash_one(text);
        match self.table.entry(
            hash(text),
            |value| text_of(value) == text,
            |value| hash(text_of(value)),
        ) {
            Entry::Occupied(mut known) => *known.get_mut() = value,
            Entry::Vacant(vacant) => {
                vacant.insert(value);
            }
        }
    }

    /// Takes the value of `text` out.
    pub fn remove<'t>(&mut self, text: &str, text_of: impl Fn(&T) -> &'t str) -> Option<T> {
        let found = self
            .table
            .find_entry(self.state.hash_one(text), |value| text_of(value) == text);
        found.ok().map(|entry| entry.remove().0)
    }

    /// Every value, in no order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.table.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_the_value_that_was_inserted_last() {
        let texts: Vec<String> = (0..1000)
            .map(|number| format!("c{}", number % 500))
            .collect();
        let text_of = |index: &usize| texts[*index].as_str();
        let mut index = TextIndex::default();
        for (number, text) in texts.iter().enumerate() {
            index.insert(text, number, text_of);
        }
        assert_eq!(index.iter().count(), 500);
        assert!((0..500).all(|number| index.get(&texts[number], text_of) == Some(&(number + 500))));
        assert_eq!(index.get("d", text_of), None);
    }

    #[test]
    fn what_was_taken_out_is_not_found() {
        let text_of = |index: &usize| ["a", "b"][*index];
        let mut index = TextIndex::default();
        index.insert("a", 0, text_of);
        index.insert("b", 1, text_of);
        assert_eq!(index.remove("a", text_of), Some(0));
        assert_eq!(index.get("a", text_of), None);
        assert_eq!(index.get_mut("b", text_of), Some(&mut 1));
        assert_eq!(index.remove("a", text_of), None);
    }
}
