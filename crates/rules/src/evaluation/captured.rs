//! A captured snapshot: what a conversation says now, and what its golden file says.

use super::Finding;
use ananke_base::diagnostic::Difference;
use ananke_trace::golden::{self, Golden};

/// A snapshot that differs from its golden file, or has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    /// Its file, and what is there.
    pub golden: Golden,
    /// The new text.
    pub text: String,
    /// The same in the order, and with the spelling of numbers, in which the file was written.
    pub comparable: String,
}

/// The snapshots that a run may write, so that their rules pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Writing {
    /// One whose file does not exist.
    pub missing: bool,
    /// One that differs from its file.
    pub changed: bool,
    /// Whether a file that no rule refers to is deleted.
    pub obsolete: bool,
}

impl Captured {
    /// Whether there is no golden file.
    pub fn is_new(&self) -> bool {
        self.golden.text.is_none()
    }

    /// Whether it differs from its file in nothing but the order and the spelling of numbers in which older versions wrote.
    pub(crate) fn is_as_kept(&self) -> bool {
        let kept = self.golden.text.as_ref();
        kept.is_some_and(|kept| !golden::differs(kept, &self.comparable))
    }

    /// Whether the run may write it.
    pub(crate) fn may_be_written(&self, writing: Writing) -> bool {
        if self.is_new() {
            writing.missing
        } else {
            writing.changed
        }
    }

    /// The failure of the rule if it is not written.
    pub(crate) fn failure(&self) -> Finding {
        let shown = &self.golden.shown;
        let (message, difference, help) = match &self.golden.text {
            None => (
                format!("the snapshot `{shown}` is missing"),
                None,
                "run the test locally, which writes it, and commit it",
            ),
            Some(kept) => match golden::other_format(kept) {
                Some(format) => (
                    format!(
                        "the snapshot `{shown}` has the format {format}, which this version does not know"
                    ),
                    None,
                    "use the version of ananke that wrote it, or rewrite it with `--update-snapshots`",
                ),
                None => (
                    format!("the conversation differs from the snapshot `{shown}`"),
                    Some(Difference::between(kept, &self.comparable)),
                    "if the new behaviour is correct, run with `--update-snapshots`",
                ),
            },
        };
        Finding {
            message,
            difference,
            help: Some(help.to_owned()),
            ..Finding::default()
        }
    }
}
