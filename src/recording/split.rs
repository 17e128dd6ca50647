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
    /// The last characters of each text, as many as can be the start of a secret.
    tails: HashMap<(Lane, String), String>,
    found: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Lane {
    Message,
    Arguments,
    Reasoning,
}

impl Split {
    /// One more change.
    pub(super) fn hear(&mut self, change: &Change<'_>, markers: &Markers) {
        let longest = markers.longest();
        if longest == 0 || self.found.is_some() {
            return;
        }
        let (lane, id, delta) = match change {
            Change::MessageText { id, delta } => (Lane::Message, id, delta),
            Change::CallArgs { id, delta } => (Lane::Arguments, id, delta),
            Change::Reasoning { id, delta, .. } => (Lane::Reasoning, id, delta),
            _ => return,
        };
        let tail = self.tails.entry((lane, id.to_string())).or_default();
        let boundary = tail.len();
        tail.push_str(delta);
        self.found = markers.across(tail, boundary).map(str::to_owned);
        let mut start = tail.len().saturating_sub(longest);
        while !tail.is_char_boundary(start) {
            start += 1;
        }
        tail.drain(..start);
    }

    /// The marker of a secret that was told in pieces.
    pub(super) fn found(&self) -> Option<&str> {
        self.found.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variables::Secret;

    fn found(deltas: &[&str]) -> bool {
        let secret = Secret { name: "KEY".to_owned(), value: "hunter22".to_owned(), is_written: false };
        let markers = Markers::new(&[secret]);
        let mut split = Split::default();
        for (index, delta) in deltas.iter().enumerate() {
            split.hear(&Change::MessageText { id: "m".into(), delta: (*delta).into() }, &markers);
            let elsewhere = if index % 2 == 0 { "m" } else { "other" };
            split.hear(&Change::CallArgs { id: elsewhere.into(), delta: "{}".into() }, &markers);
        }
        split.found().is_some()
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
