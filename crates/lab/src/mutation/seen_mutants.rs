//! The changes to one test that were counted, so that several recordings of it do not count the same change again.
//!
//! A test that runs several times, or walks, has several recordings, which are the same up to some event. **Invariant:** a
//! change counts again if it meets another fate.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::fate::Fate;
use super::mutation::Mutation;

/// The changes to the newest test, as hashes.
#[derive(Debug, Default)]
pub(super) struct SeenMutants {
    test: String,
    hashes: HashSet<u64>,
}

impl SeenMutants {
    /// Whether this change to the test `id` with this fate is the first such; recordings of a test follow each other.
    pub(super) fn is_new(&mut self, id: &str, mutation: &Mutation, fate: &Fate) -> bool {
        if self.test != id {
            (self.test, self.hashes) = (id.to_owned(), HashSet::new());
        }
        let mut hasher = DefaultHasher::new();
        let Mutation {
            operator,
            turn,
            event,
            change,
            ..
        } = mutation;
        (operator, turn, event, change, fate.as_str()).hash(&mut hasher);
        self.hashes.insert(hasher.finish())
    }
}
