//! The lines of the history, as they are written and read.
//!
//! **Invariant:** what is written is read back by the same type. Nothing in a line is more than data: an id that a file contains
//! is compared with the ids of tests, and shown escaped.

use std::borrow::Cow;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use ananke_base::text::truncate;
use ananke_trace::outcome::{FailureReason, Outcome, Status};
use ananke_trace::trace::Tokens;

/// The most bytes of each text of a reason.
pub const MOST_OF_REASON: usize = 300;

/// The first bytes of the line of a run that begins.
pub(super) const BEGAN: &[u8] = b"{\"began\":";

/// The first bytes of the line of a run that came to its end.
const ENDED: &[u8] = b"{\"ended\":";

/// A line of the history.
#[derive(Debug)]
pub(super) enum HistoryLine<'a> {
    Began(RunBeginning),
    Test(HistoryEntry<'a>),
    Ended(RunEnding<'a>),
}

impl<'a> HistoryLine<'a> {
    /// The line `line`, without its end; `None` if it is not one.
    pub(super) fn read(line: &'a [u8]) -> Option<Self> {
        if line.starts_with(BEGAN) {
            serde_json::from_slice(line).ok().map(Self::Began)
        } else if line.starts_with(ENDED) {
            serde_json::from_slice(line).ok().map(Self::Ended)
        } else {
            serde_json::from_slice(line).ok().map(Self::Test)
        }
    }

    /// The name of the run that wrote it, and its kind as far as the line says it.
    pub(super) fn run(&self) -> (&str, RunKind) {
        match self {
            Self::Began(run) => (&run.began, run.kind),
            Self::Test(test) => (&test.run, test.kind),
            Self::Ended(run) => (&run.ended, RunKind::default()),
        }
    }
}

/// The kind of a run, which decides who reads its lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunKind {
    /// Agents are asked, by tests of the project.
    #[default]
    Agent,
    /// Only recorded answers are read: its times are not those of an agent, and it shows no change of one.
    Replay,
    /// Agents are asked, by messages or cases that are in no file: `--last-failed` could not run them.
    Given,
}

impl RunKind {
    /// Whether an agent was asked.
    pub fn is_live(self) -> bool {
        self != Self::Replay
    }
}

/// The beginning of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunBeginning {
    /// The name of the run.
    pub began: String,
    /// The kind of the run.
    #[serde(default, skip_serializing_if = "is_default")]
    pub kind: RunKind,
    /// The ids of the tests that are to run.
    pub selected: Vec<String>,
    /// Whether the selected and the skipped tests are all tests of the project: others are forgotten.
    #[serde(default, skip_serializing_if = "is_default")]
    pub all: bool,
    /// The ids of the tests that are skipped, in a run of all tests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<String>,
    /// The ids of the tests that failed and are in no file any more: they were named, and are forgotten.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<String>,
    /// The name of the file in which the run is kept, if it is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The end of a run that was neither interrupted nor killed: what it did not run, it was not to run.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RunEnding<'a> {
    /// The name of the run.
    #[serde(borrow)]
    pub(super) ended: Cow<'a, str>,
}

/// The result of one test of one run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryEntry<'a> {
    /// The name of the run.
    #[serde(borrow)]
    pub run: Cow<'a, str>,
    /// The kind of the run.
    #[serde(default, skip_serializing_if = "is_default")]
    pub kind: RunKind,
    /// The commit that was tested, if it is known.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<Cow<'a, str>>,
    /// The id of the test.
    #[serde(borrow, deserialize_with = "id")]
    pub id: Cow<'a, str>,
    /// The name of the target that it ran against.
    #[serde(borrow, default)]
    pub target: Cow<'a, str>,
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

/// The id of a test. One that is not a text is an id that no test has, so that `--last-failed` names it rather than lose it.
fn id<'de, D: Deserializer<'de>>(id: D) -> Result<Cow<'de, str>, D::Error> {
    #[derive(Deserialize)]
    struct TextId<'a>(#[serde(borrow)] Cow<'a, str>);
    let written = <&RawValue>::deserialize(id)?.get();
    Ok(match serde_json::from_str(written) {
        Ok(TextId(text)) => text,
        Err(_) => Cow::Borrowed(written),
    })
}

/// The key that equal failures share, as it is kept: each of its texts has at most [`MOST_OF_REASON`] bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryReason {
    /// The rule's path in an assert block, or the kind of a problem.
    pub kind: String,
    /// The tool that it is about, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The place of the first value that differs, if values differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The subject of the reason, if no path shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
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

impl<'a> HistoryEntry<'a> {
    /// The line of a test that took `duration` in the run that is called `run`.
    pub(super) fn of(
        outcome: &'a Outcome,
        (run, kind): (&'a str, RunKind),
        commit: Option<&'a str>,
        duration: Option<Duration>,
    ) -> Self {
        let usage = outcome.spent().1.usage;
        let sum = || Some(usage.input.whole()? + usage.output.whole()?);
        Self {
            run: run.into(),
            kind,
            commit: commit.map(Cow::from),
            id: outcome.test.id.as_str().into(),
            target: outcome.test.target.as_str().into(),
            status: outcome.status(),
            duration_ms: duration.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
            tokens: Tokens::whole(usage.total)
                .or_else(sum)
                .filter(|tokens| *tokens > 0),
            reason: outcome.reason().map(HistoryReason::from),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_whole_and_bounded() {
        let whole = FailureReason {
            kind: "tools.require".into(),
            tool: Some("t".repeat(2 * MOST_OF_REASON)),
            path: Some("currency".to_owned()),
            about: None,
        };
        let kept = HistoryReason::from(whole);
        let tool = kept.tool.clone().unwrap();
        assert!(
            tool.starts_with("ttt") && tool.len() < MOST_OF_REASON + 40,
            "{tool}"
        );
        let text = serde_json::to_string(&kept).unwrap();
        assert!(text.ends_with(",\"path\":\"currency\"}"), "{text}");
        assert_eq!(serde_json::from_str::<HistoryReason>(&text).unwrap(), kept);
    }

    #[test]
    fn a_line_is_known_by_its_first_key_and_any_id_is_a_text() {
        let read = |line: &'static str| HistoryLine::read(line.as_bytes());
        let began = "{\"began\":\"1\",\"kind\":\"replay\",\"selected\":[],\"newer\":[1]}";
        assert!(
            matches!(read(began), Some(HistoryLine::Began(run)) if run.kind == RunKind::Replay)
        );
        assert!(matches!(
            read("{\"ended\":\"1\"}"),
            Some(HistoryLine::Ended(_))
        ));
        for (id, text) in [
            ("\"a \\u00e4\"", "a \u{e4}"),
            ("5", "5"),
            ("[\"a\"]", "[\"a\"]"),
        ] {
            let line = format!("{{\"run\":\"1\",\"id\":{id},\"status\":\"failed\"}}");
            let Some(HistoryLine::Test(test)) = HistoryLine::read(line.as_bytes()) else {
                panic!("{line}");
            };
            assert_eq!(test.id, text);
        }
        for line in [
            "",
            "null",
            "{}",
            "{\"began\":1}",
            "{\"run\":\"1\",\"id\":\"a\"}",
            "{\"run\":\"1\",\"id\":\"a\",\"status\":\"good\"}",
            "{\"ended\":\"1\"",
        ] {
            assert!(read(line).is_none(), "{line}");
        }
    }
}
