//! The secrets of an attempt: the markers that replace them in its recording, and those that an agent sends in pieces.

use ananke_base::message::Lane;
use ananke_model::variables::Secret;
use ananke_trace::redact::{Markers, Redactor};
use ananke_trace::trace::{Change, PiecedTexts};

/// The secrets that are known by now: each that is added stays, so that a recording and its replay mark the same.
#[derive(Default)]
pub(super) struct MarkedSecrets {
    secrets: Vec<Secret>,
    /// Their markers.
    pub(super) markers: Markers,
}

impl MarkedSecrets {
    /// Adds `secrets`; `redactor` gives the patterns.
    pub(super) fn add(&mut self, secrets: &[Secret], redactor: &Redactor) {
        self.secrets.extend_from_slice(secrets);
        self.secrets.sort();
        self.secrets.dedup();
        self.markers = Markers::new(&self.secrets, redactor.patterns());
    }
}

/// Collects the texts of each lane.
#[derive(Debug, Default)]
pub(super) struct SecretSplitter(Vec<(Lane, PiecedTexts)>);

impl SecretSplitter {
    /// One more change of `lane`.
    pub(super) fn add(&mut self, lane: &Lane, change: &Change<'_>) {
        let index = self.0.iter().position(|(known, _)| known == lane);
        let index = index.unwrap_or_else(|| {
            self.0.push((lane.clone(), PiecedTexts::default()));
            self.0.len() - 1
        });
        self.0[index].1.add(change, 0);
    }

    /// The marker of a secret that was sent in pieces: of those that are known by now, the first by its name.
    pub(super) fn found<'m>(&self, markers: &'m Markers) -> Option<&'m str> {
        if markers.is_empty() {
            return None;
        }
        let texts = self.0.iter().flat_map(|(_, texts)| texts.texts());
        texts
            .filter_map(|text| markers.cut_by(&text.text, &text.cuts))
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
