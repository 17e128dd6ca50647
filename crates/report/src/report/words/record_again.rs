//! The command that records the models of tests again, if that is the remedy of all of them.

use indexmap::IndexSet;

use ananke_base::text::escape;
use ananke_trace::outcome::{ErrorKind, Outcome, RECORD_MODELS};

/// The most files that the command names.
const MOST_FILES: usize = 8;

/// The files of tests whose models are recorded again.
#[derive(Debug, Default)]
pub(crate) struct RecordAgain {
    files: IndexSet<String>,
    /// Whether a test has another remedy.
    has_other: bool,
}

impl RecordAgain {
    /// Adds a test that failed.
    pub(crate) fn add(&mut self, outcome: &Outcome) {
        let Some((_, problem)) = outcome.first_problem() else {
            self.has_other = true;
            return;
        };
        let help = problem.help.as_deref().unwrap_or_default();
        if problem.kind != ErrorKind::Model || !is_recorded_again(help) {
            self.has_other = true;
        } else if self.files.len() <= MOST_FILES {
            let (file, _) = outcome.place();
            self.files.insert(file.to_owned());
        }
    }

    /// One command for all of them; `None` if one has another remedy.
    pub(crate) fn command(&self) -> Option<String> {
        if self.has_other || self.files.is_empty() {
            return None;
        }
        // A longer list would fill the screen, and the next run knows which tests failed.
        if self.files.len() > MOST_FILES {
            return Some(format!("ananke run --last-failed {RECORD_MODELS}"));
        }
        let mut command = "ananke run".to_owned();
        for file in &self.files {
            command.push(' ');
            command.push_str(&escape::shell_word(file));
        }
        Some(format!("{command} {RECORD_MODELS}"))
    }
}

/// Whether a remedy is to record a test again. Another line may offer what to ignore.
fn is_recorded_again(help: &str) -> bool {
    for line in help.lines() {
        if line.ends_with(RECORD_MODELS) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remedy_may_offer_what_to_ignore_too() {
        let command = format!("if that is meant: ananke run a.test.yaml {RECORD_MODELS}");
        assert!(is_recorded_again(&command));
        let offer = "if it varies: models.main.ignore: [\"Today\"]";
        assert!(is_recorded_again(&format!("{command}\n{offer}")));
        assert!(!is_recorded_again(offer));
    }
}
