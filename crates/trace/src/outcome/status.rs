//! The status of a test, and its change since an earlier run.
//!
//! **Why:** Two words would not do: a rule that failed, an agent that was not there, and a fact that was not recorded
//! are looked at by different people. One function here says which of them fail a run.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::words;

words! {
    /// A verdict.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
    pub enum Status {
        /// Every rule passed.
        #[default]
        Passed = "passed",
        /// A rule failed.
        Failed = "failed",
        /// The agent, the connection or the setup failed.
        Error = "error",
        /// A timeout was reached.
        Timeout = "timeout",
        /// Not run, on purpose.
        Skipped = "skipped",
        /// It ran as often as its `runs` allow, and its pass rate is neither clearly good nor clearly bad.
        Undecided = "undecided",
        /// No rule failed, and a trace does not contain the facts of some: see `not_shown`.
        NotShown = "not_shown",
    }
}

impl Status {
    /// The words that people read.
    pub fn words(self) -> &'static str {
        match self {
            Self::NotShown => "not shown",
            word => word.as_str(),
        }
    }

    /// Whether the run does not pass because of it.
    pub fn fails_the_run(self) -> bool {
        matches!(
            self,
            Self::Failed | Self::Error | Self::Timeout | Self::Undecided | Self::NotShown
        )
    }
}

words! {
    /// The change of a test against an earlier run: the last one in the history, or the baseline. A pass on a retry is a pass.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    pub enum StatusChange {
        /// It does not pass. In the earlier run it passed, or it was not run there.
        New = "new",
        /// It does not pass, and did not pass in the earlier run.
        Known = "known",
        /// It passes, and did not pass in the earlier run.
        Fixed = "fixed",
    }
}

/// The tests of an earlier run that did not pass, by their ids in reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EarlierStatuses {
    failed: HashSet<String>,
    /// Set by the first test, since without any of them every failure would be new.
    is_known: bool,
}

impl EarlierStatuses {
    /// The change of the test `id`, which has this status now; `None` if nothing changed that matters, it is skipped, or no
    /// test of the earlier run is known.
    pub fn change(&self, id: &str, status: Status) -> Option<StatusChange> {
        let failed_before = self.failed.contains(id);
        if status.fails_the_run() && failed_before {
            Some(StatusChange::Known)
        } else if status.fails_the_run() && self.is_known {
            Some(StatusChange::New)
        } else if status == Status::Passed && failed_before {
            Some(StatusChange::Fixed)
        } else {
            None
        }
    }
}

impl FromIterator<(String, Status)> for EarlierStatuses {
    /// The failed tests among the ids and statuses of an earlier run. If an id comes several times, its last status counts.
    fn from_iter<I: IntoIterator<Item = (String, Status)>>(statuses: I) -> Self {
        let mut earlier = Self::default();
        for (id, status) in statuses {
            // A skipped test shows nothing, so that its status before stays.
            if status == Status::Skipped {
                continue;
            }
            // `change` finds new failures only if some test of the earlier run is known: otherwise every failure would be new.
            earlier.is_known = true;
            if status.fails_the_run() {
                earlier.failed.insert(id);
            } else {
                earlier.failed.remove(&id);
            }
        }
        earlier
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_against_the_last_status_of_the_test() {
        let earlier = [
            ("a", Status::Failed),
            ("a", Status::Passed),
            ("b", Status::Timeout),
            ("b", Status::Skipped),
            ("c", Status::Skipped),
        ];
        let earlier: EarlierStatuses = earlier
            .map(|(id, status)| (id.to_owned(), status))
            .into_iter()
            .collect();
        for (id, now, change) in [
            ("a", Status::Error, Some(StatusChange::New)),
            ("a", Status::Passed, None),
            ("b", Status::Undecided, Some(StatusChange::Known)),
            ("b", Status::Passed, Some(StatusChange::Fixed)),
            ("b", Status::Skipped, None),
            ("c", Status::NotShown, Some(StatusChange::New)),
            ("d", Status::Failed, Some(StatusChange::New)),
            ("d", Status::Passed, None),
        ] {
            assert_eq!(earlier.change(id, now), change, "{id} {now:?}");
        }
    }

    #[test]
    fn if_nothing_is_known_nothing_is_new() {
        let unknown = EarlierStatuses::default();
        assert_eq!(unknown.change("a", Status::Failed), None);
        let skipped: EarlierStatuses = [("a".to_owned(), Status::Skipped)].into_iter().collect();
        assert_eq!(skipped.change("a", Status::Failed), None);
    }
}
