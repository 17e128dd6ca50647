//! The artifacts of a task: what of an update is new, so that no text is said twice.
//!
//! An update without `append` creates an artifact or replaces it. Servers stream parts to an artifact that was never
//! created, and send all of it again at the end: what was said already is not said again.

use std::collections::HashMap;

use serde_json::Value;

use ananke_trace::trace::is_same_json;

/// The artifacts of one task.
#[derive(Debug, Default)]
pub(super) struct Artifacts {
    known: HashMap<String, Artifact>,
    /// The number of artifacts that came without an id.
    nameless: usize,
}

/// The state of an artifact, as far as it is known.
#[derive(Debug, Default)]
struct Artifact {
    text: String,
    others: Vec<Value>,
    /// The number of messages that its text has become.
    messages: usize,
}

/// Whether an update adds to an artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArtifactUpdate {
    /// It creates or replaces it.
    Replace,
    /// It adds parts.
    Append,
}

/// The new text and data of an update.
#[derive(Debug, PartialEq)]
pub(super) struct Added {
    /// More text.
    pub(super) text: String,
    /// Whether the text is another than before, and not more of it.
    pub(super) is_replaced: bool,
    /// Parts without text, each with its number in the artifact, counted from 1.
    pub(super) others: Vec<(usize, Value)>,
}

impl Artifacts {
    /// The id of an artifact, or a new name if it has none.
    pub(super) fn id(&mut self, artifact: &Value) -> String {
        let text = |key: &str| {
            artifact
                .get(key)
                .and_then(Value::as_str)
                .filter(|id| !id.is_empty())
        };
        if let Some(id) = text("artifactId") {
            return id.to_owned();
        }
        self.nameless += 1;
        format!("artifact-{}", self.nameless)
    }

    /// Takes an update of the artifact `id`: its text, and its other parts.
    pub(super) fn update(
        &mut self,
        id: &str,
        update: ArtifactUpdate,
        text: &str,
        others: Vec<Value>,
    ) -> Added {
        let known = self.known.entry(id.to_owned()).or_default();
        let (new_text, is_replaced) = match update {
            ArtifactUpdate::Append => (text.to_owned(), false),
            // A closing update may have no text at all.
            ArtifactUpdate::Replace => match text.strip_prefix(known.text.as_str()) {
                Some(more) => (more.to_owned(), false),
                None if text.is_empty() => (String::new(), false),
                None => {
                    known.text.clear();
                    (text.to_owned(), true)
                }
            },
        };
        known.text.push_str(&new_text);
        let is_known = update == ArtifactUpdate::Replace
            && others.len() >= known.others.len()
            && known
                .others
                .iter()
                .zip(&others)
                .all(|(known, other)| is_same_json(known, other));
        let new: Vec<Value> = if is_known {
            others[known.others.len()..].to_vec()
        } else {
            others
        };
        let first = known.others.len() + 1;
        known.others.extend(new.iter().cloned());
        Added {
            text: new_text,
            is_replaced,
            others: (first..).zip(new).collect(),
        }
    }

    /// The id of the next message that the text of the artifact `id` becomes.
    pub(super) fn next_message(&mut self, id: &str) -> String {
        let known = self.known.entry(id.to_owned()).or_default();
        known.messages += 1;
        if known.messages == 1 {
            id.to_owned()
        } else {
            format!("{id}#{}", known.messages)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn texts(updates: &[(ArtifactUpdate, &str)]) -> Vec<(String, bool)> {
        let mut artifacts = Artifacts::default();
        let update = |(update, text): &(ArtifactUpdate, &str)| {
            let Added {
                text, is_replaced, ..
            } = artifacts.update("a", *update, text, Vec::new());
            (text, is_replaced)
        };
        updates.iter().map(update).collect()
    }

    #[test]
    fn no_text_is_said_twice() {
        use ArtifactUpdate::{Append, Replace};
        for (updates, new) in [
            (
                &[(Replace, "Hel"), (Append, "lo")][..],
                &[("Hel", false), ("lo", false)][..],
            ),
            (
                &[(Append, "Hel"), (Append, "lo"), (Replace, "Hello")],
                &[("Hel", false), ("lo", false), ("", false)],
            ),
            (
                &[(Replace, "Hello"), (Replace, "Hello")],
                &[("Hello", false), ("", false)],
            ),
            (
                &[(Replace, "Hel"), (Replace, "Hello")],
                &[("Hel", false), ("lo", false)],
            ),
            (
                &[(Append, "Hello"), (Replace, "")],
                &[("Hello", false), ("", false)],
            ),
            (
                &[(Replace, "draft"), (Replace, "final")],
                &[("draft", false), ("final", true)],
            ),
            (
                &[(Replace, "ha"), (Append, "ha")],
                &[("ha", false), ("ha", false)],
            ),
        ] {
            let new: Vec<(String, bool)> = new
                .iter()
                .map(|(text, is)| ((*text).to_owned(), *is))
                .collect();
            assert_eq!(texts(updates), new, "{updates:?}");
        }
    }

    #[test]
    fn other_parts_come_once_too() {
        let mut artifacts = Artifacts::default();
        let mut update =
            |update, others: &[Value]| artifacts.update("a", update, "", others.to_vec()).others;
        let (one, two) = (json!({ "data": 1 }), json!({ "data": 2 }));
        assert_eq!(
            update(ArtifactUpdate::Append, std::slice::from_ref(&one)),
            [(1, one.clone())]
        );
        assert_eq!(
            update(ArtifactUpdate::Append, std::slice::from_ref(&one)),
            [(2, one.clone())]
        );
        assert_eq!(
            update(
                ArtifactUpdate::Replace,
                &[one.clone(), one.clone(), two.clone()]
            ),
            [(3, two)]
        );
    }

    #[test]
    fn messages_and_artifacts_without_an_id_have_names() {
        let mut artifacts = Artifacts::default();
        assert_eq!(artifacts.id(&json!({ "artifactId": "x" })), "x");
        assert_eq!(
            [
                artifacts.id(&json!({})),
                artifacts.id(&json!({ "artifactId": "" }))
            ],
            ["artifact-1", "artifact-2"]
        );
        assert_eq!(
            [artifacts.next_message("x"), artifacts.next_message("x")],
            ["x", "x#2"]
        );
    }
}
