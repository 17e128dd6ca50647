//! Tests of a plan that exist in no file.

use std::sync::Arc;

use crate::loaded::{CaseEntry, TestEntry};
use ananke_model::variables::TestAbout;

/// A test without rows.
pub(super) fn case(place: &str, name: &str, tags: &[&str]) -> CaseEntry {
    let test = TestEntry {
        id: format!("{place}::{name}"),
        name: name.to_owned(),
        about: TestAbout {
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            ..TestAbout::default()
        },
        turns: 1,
        path: place.into(),
        place: place.to_owned(),
        file: place.to_owned(),
        line: 1,
        ..TestEntry::default()
    };
    CaseEntry {
        test: Arc::new(test),
        row: None,
        quarantine: None,
    }
}

/// The rows of a test, by their labels.
pub(super) fn rows(of: &CaseEntry, labels: &[&str]) -> Vec<CaseEntry> {
    use crate::compile::RowEntry;
    labels
        .iter()
        .map(|label| CaseEntry {
            row: Some(RowEntry::named(label)),
            ..of.clone()
        })
        .collect()
}
