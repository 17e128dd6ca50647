//! Secrets that an agent tells in pieces: no single event holds them, and so no marker could stand for them.
//!
//! Flows in: the changes of one test, as they come. Flows out: whether a secret was spread over several of them. A
//! recording of such a test is not written.

use std::collections::HashMap;

use crate::redact::Markers;
use crate::trace::Change;

/// Listens to texts that come in pieces.
#[derive(Debug, Default)]
pub(super) struct Split {
    texts: HashMap<(Lane, String), Pieces>,
}

/// A text, and where its pieces meet.
#[derive(Debug, Default)]
struct Pieces {
    text: String,
    cuts: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Lane {
    Message,
    Arguments,
    Reasoning,
}

impl Split {
    /// One more change.
    pub(super) fn hear(&mut self, change: &Change<'_>) {
        let (lane, id, delta) = match change {
            Change::MessageText { id, delta } => (Lane::Message, id, delta),
            Change::CallArgs { id, delta } => (Lane::Arguments, id, delta),
            Change::Reasoning { id, delta, .. } => (Lane::Reasoning, id, delta),
            _ => return,
        };
        let Pieces { text, cuts } = self.texts.entry((lane, id.to_string())).or_default();
        text.push_str(delta);
        cuts.push(text.len());
    }

    /// The marker of a secret that was told in pieces: of those that are known by now, the first by its name.
    pub(super) fn found<'m>(&self, markers: &'m Markers) -> Option<&'m str> {
        if markers.is_empty() {
            return None;
        }
        self.texts.values().filter_map(|Pieces { text, cuts }| markers.cut_by(text, cuts)).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variables::Secret;

    fn found(deltas: &[&str]) -> bool {
        let secret = Secret { name: "KEY".to_owned(), value: "hunter22".to_owned(), is_written: false };
        let markers = Markers::new(&[secret], Vec::new());
        let mut split = Split::default();
        for (index, delta) in deltas.iter().enumerate() {
            split.hear(&Change::MessageText { id: "m".into(), delta: (*delta).into() });
            let elsewhere = if index % 2 == 0 { "m" } else { "other" };
            split.hear(&Change::CallArgs { id: elsewhere.into(), delta: "{}".into() });
        }
        split.found(&markers).is_some()
    }

    #[test]
    fn a_secret_in_pieces_is_found_and_a_whole_one_is_not() {
        assert!(found(&["my key is hun", "ter22."]));
        assert!(found(&["h", "u", "n", "t", "e", "r", "2", "2"]));
        assert!(found(&["é hunter22 and hunter", "2", "2"]));
        assert!(!found(&["my key is hunter22", " and more", " hunter22"]));
        assert!(!found(&["hun", "dred"]));
        assert!(!found(&[]));
    }
}
