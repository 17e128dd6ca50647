//! Rules by what equal ones have in common, so that a duplicate is found without a comparison with every rule.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::rule::{Entry, Rule};

/// Entries by the path and the hash of their rule.
#[derive(Debug, Default)]
pub(crate) struct RuleIndex(HashMap<(&'static str, u64), Vec<Entry>>);

impl RuleIndex {
    /// An index of these entries.
    pub(crate) fn of<'e>(entries: impl IntoIterator<Item = &'e Entry>) -> Self {
        let mut index = Self::default();
        for entry in entries {
            index.insert(entry);
        }
        index
    }

    /// Adds an entry.
    pub(crate) fn insert(&mut self, entry: &Entry) {
        self.0.entry(key(&*entry.rule)).or_default().push(entry.clone());
    }

    /// The entries with an equal rule, in the order in which they were added.
    pub(crate) fn equal_to(&self, rule: &dyn Rule) -> impl Iterator<Item = &Entry> {
        let entries = self.0.get(&key(rule)).into_iter().flatten();
        entries.filter(move |known| known.rule.is_same(rule))
    }
}

fn key(rule: &dyn Rule) -> (&'static str, u64) {
    (rule.path(), rule.equality_hash())
}

/// The hash of a value, the same in every run.
pub(crate) fn hash_of(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::assertion::judge::Monitor;
    use crate::assertion::origin::Origin;
    use crate::assertion::rule::Kind;
    use crate::diagnostic::{SourceFile, Span};
    use crate::outcome::Level;
    use crate::variables::Patterns;

    #[derive(Debug, PartialEq)]
    struct Numbered(u64);

    impl Rule for Numbered {
        fn path(&self) -> &'static str {
            "numbered"
        }

        fn kind(&self) -> Kind {
            Kind::Prohibition
        }

        fn equality_hash(&self) -> u64 {
            hash_of(&(self.0 % 2))
        }

        fn describe(&self) -> String {
            self.0.to_string()
        }

        fn monitor(&self, _: &mut Patterns) -> Result<Box<dyn Monitor>, regex::Error> {
            unreachable!("nothing is checked")
        }
    }

    #[test]
    fn rules_with_the_same_hash_are_still_compared() {
        let source = Arc::new(SourceFile::new("a", "a", "a"));
        let place = source.place(Span::default());
        let origin = Origin { level: Level::Test, place, span: Span::default(), source };
        let entry = |number| Entry { rule: Arc::new(Numbered(number)), origin: origin.clone() };
        let index = RuleIndex::of(&[entry(1), entry(3), entry(1)]);
        let found = |number| index.equal_to(&Numbered(number)).map(Entry::describe).collect::<Vec<_>>();
        assert_eq!((found(1), found(3)), (vec!["1".to_owned(), "1".to_owned()], vec!["3".to_owned()]));
        assert!(found(5).is_empty() && found(2).is_empty());
    }
}
