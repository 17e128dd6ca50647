//! A line of the history: what came of one test in one run.

use std::borrow::Cow;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use ananke_base::text::truncate;
use ananke_trace::outcome::{FailureReason, Outcome, Status};
use ananke_trace::trace::Tokens;

/// The most bytes of each text of a reason.
pub const MOST_OF_REASON: usize = 300;

/// One test of one run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryEntry {
    /// The name of the run; later runs have greater names.
    pub run: String,
    /// The commit that was tested, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The id of the test.
    pub id: String,
    /// The name of the target that it ran against.
    #[serde(default)]
    pub target: String,
    /// The status with which it ended.
    pub status: Status,
    /// The time that all its attempts took on the wall clock, in milliseconds; `None` if it did not begin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// The tokens that it used; `None` if they are not known, or not all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// The reason that it did not pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<HistoryReason>,
}

/// The key that equal failures share, as it is kept: each of its texts has at most [`MOST_OF_REASON`] bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "KeptReason")]
pub struct HistoryReason {
    /// The rule's path in an assert block, or the kind of a problem.
    pub kind: String,
    /// The tool that it is about, if it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The place of the first value that differs, if values differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The subject of the reason, if no path shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
}

/// A reason in the forms in which it was ever written.
#[derive(Deserialize)]
#[serde(untagged)]
enum KeptReason {
    /// Its kind alone.
    Kind(String),
    Whole {
        kind: String,
        tool: Option<String>,
        path: Option<String>,
        about: Option<String>,
    },
}

impl From<KeptReason> for HistoryReason {
    fn from(kept: KeptReason) -> Self {
        let (kind, tool, path, about) = match kept {
            KeptReason::Kind(kind) => (kind, None, None, None),
            KeptReason::Whole {
                kind,
                tool,
                path,
                about,
            } => (kind, tool, path, about),
        };
        Self {
            kind,
            tool,
            path,
            about,
        }
    }
}

impl From<FailureReason> for HistoryReason {
    fn from(reason: FailureReason) -> Self {
        let FailureReason {
            kind,
            tool,
            path,
            about,
        } = reason;
        let bounded = |text: String| truncate::bytes(&text, MOST_OF_REASON).into_owned();
        Self {
            kind: bounded(kind.into_owned()),
            tool: tool.map(bounded),
            path: path.map(bounded),
            about: about.map(bounded),
        }
    }
}

impl HistoryEntry {
    /// The line of a test that took `duration` in the run that is called `run`.
    pub(super) fn of(
        outcome: &Outcome,
        run: &str,
        commit: Option<&str>,
        duration: Option<Duration>,
    ) -> Self {
        let status = outcome.status();
        let usage = outcome.spent().1.usage;
        let sum = || Some(usage.input.whole()? + usage.output.whole()?);
        Self {
            run: run.to_owned(),
            commit: commit.map(str::to_owned),
            id: outcome.test.id.clone(),
            target: outcome.test.target.clone(),
            status,
            duration_ms: duration.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
            tokens: Tokens::whole(usage.total)
                .or_else(sum)
                .filter(|tokens| *tokens > 0),
            reason: outcome.reason().map(HistoryReason::from),
        }
    }
}

/// The part of an entry that is needed to begin a run.
#[derive(Deserialize)]
pub(super) struct EntryStart<'a> {
    #[serde(borrow, default)]
    pub(super) commit: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) id: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) target: Cow<'a, str>,
    pub(super) status: Status,
    #[serde(default)]
    pub(super) duration_ms: Option<u64>,
}
