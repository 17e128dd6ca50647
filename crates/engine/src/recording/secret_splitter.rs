//! Secrets that an agent sends in pieces: no single event contains them, and so no marker could replace them.
//!
//! Flows in: the changes of one test, as they come. Flows out: whether a secret was spread over several of them. A
//! recording of such a test is not written.

use std::collections::HashMap;

use ananke_base::message::Lane;
use ananke_trace::redact::Markers;
use ananke_trace::trace::Change;

/// Collects texts that come in pieces.
#[derive(Debug, Default)]
pub(super) struct SecretSplitter {
    texts: Vec<SplitText>,
    /// The place of each text, and of the one that the last piece belongs to.
    places: HashMap<(Lane, SplitPart, String), usize>,
    last: usize,
}

/// A text, and where its pieces meet.
#[derive(Debug)]
struct SplitText {
    lane: Lane,
    part: SplitPart,
    id: String,
    text: String,
    cuts: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum SplitPart {
    Message,
    Arguments,
    Reasoning,
}

impl SecretSplitter {
    /// One more change of `lane`.
    pub(super) fn add(&mut self, lane: &Lane, change: &Change<'_>) {
        let (part, id, delta) = match change {
            Change::MessageText { id, delta } => (SplitPart::Message, id, delta),
            Change::CallArgs { id, delta } => (SplitPart::Arguments, id, delta),
            Change::Reasoning { id, delta, .. } => (SplitPart::Reasoning, id, delta),
            _ => return,
        };
        // Most pieces go on with the text of the one before.
        let is_of = |text: &SplitText| text.part == part && text.id == **id && text.lane == *lane;
        if !self.texts.get(self.last).is_some_and(is_of) {
            let key = (lane.clone(), part, id.to_string());
            self.last = *self.places.entry(key).or_insert(self.texts.len());
            if self.last == self.texts.len() {
                self.texts.push(SplitText {
                    lane: lane.clone(),
                    part,
                    id: id.to_string(),
                    text: String::new(),
                    cuts: Vec::new(),
                });
            }
        }
        let SplitText { text, cuts, .. } = &mut self.texts[self.last];
        text.push_str(delta);
        cuts.push(text.len());
    }

    /// The marker of a secret that was sent in pieces: of those that are known by now, the first by its name.
    pub(super) fn found<'m>(&self, markers: &'m Markers) -> Option<&'m str> {
        if markers.is_empty() {
            return None;
        }
        self.texts
            .iter()
            .filter_map(|SplitText { text, cuts, .. }| markers.cut_by(text, cuts))
            .min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ananke_model::variables::Secret;

    fn found(deltas: &[&str]) -> bool {
        let secret = Secret {
            name: "KEY".to_owned(),
            value: "hunter22".to_owned(),
            is_written: false,
        };
        let markers = Markers::new(&[secret], Vec::new());
        let mut split = SecretSplitter::default();
        for (index, delta) in deltas.iter().enumerate() {
            split.add(
                &Lane::Agent,
                &Change::MessageText {
                    id: "m".into(),
                    delta: (*delta).into(),
                },
            );
            let elsewhere = if index % 2 == 0 { "m" } else { "other" };
            split.add(
                &Lane::Agent,
                &Change::CallArgs {
                    id: elsewhere.into(),
                    delta: "{}".into(),
                },
            );
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
