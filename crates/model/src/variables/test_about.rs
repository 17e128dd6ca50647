//! The keys by which a test says what it is about: plain facts, which go to reports as they are.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::{Fill as _, Interpolation, Leaf};
use crate::model::Test;

/// The keys by which a test says what it is about, with every variable filled. It is made once, and the same from the plan to the reports.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TestAbout {
    /// Its description.
    pub description: Option<String>,
    /// Its tags, each once.
    pub tags: Vec<String>,
}

impl TestAbout {
    /// Checks and fills the keys of a test.
    ///
    /// # Errors
    /// If something is known later or was reported.
    pub fn fill(test: &Test, interpolation: &mut Interpolation<'_>) -> Leaf<Self> {
        let description = test.description.fill(interpolation);
        let tags: Leaf<Option<Vec<String>>> = test.tags.fill(interpolation);
        let mut tags = tags?.unwrap_or_default();
        let mut seen = HashSet::new();
        tags.retain(|tag| seen.insert(tag.clone()));
        Ok(Self {
            description: description?,
            tags,
        })
    }

    /// Every text of it, to be masked.
    pub fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let Self { description, tags } = self;
        description.iter_mut().chain(tags)
    }
}
