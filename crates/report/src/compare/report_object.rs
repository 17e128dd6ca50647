//! An object of a JSON report as a comparison reads it: a result on its own line or in the list of a file, a summary, or a
//! whole file. Only known fields are read; the rest is skipped, whatever it contains.

use serde::Deserialize;
use serde::de::value::Error as ValueError;
use serde::de::{Deserializer, Error, IntoDeserializer as _};
use serde_json::Value;

use super::run_summary::{RunSummary, microseconds};
use super::test_summary::TestSummary;
use ananke_base::text::truncate;
use ananke_trace::outcome::Status;

/// The first number of the versions of the report format that can be read.
const MAJOR_VERSION: &str = "1";

/// An object of a report as it is read: a line, a whole file, or a result in one.
#[derive(Debug, Deserialize)]
#[serde(expecting = "an object of a report")]
pub(crate) struct Object {
    #[serde(rename = "type")]
    kind: Option<String>,
    version: Option<SupportedVersion>,
    // A whole file.
    summary: Option<RunSummary>,
    results: Option<Vec<TestSummary>>,
    // The summary as a line.
    total: Option<usize>,
    exit_code: Option<i64>,
    // A result; the duration is that of either.
    id: Option<String>,
    status: Option<Word>,
    #[serde(default, deserialize_with = "is_marked")]
    flaky: bool,
    #[serde(default, deserialize_with = "is_marked")]
    quarantined: bool,
    #[serde(default, deserialize_with = "microseconds")]
    duration_ms: Option<u64>,
    #[serde(default)]
    turns: Vec<ReportedTurn>,
    #[serde(default)]
    final_assertions: Vec<ReportedFinding>,
    /// In a result, why it could not be evaluated; in a summary, a number.
    #[serde(default, deserialize_with = "problem")]
    error: Option<ReportedFinding>,
    skip_reason: Option<BoundedText>,
}

/// The kind of object in a report, and its content.
pub(crate) enum ReportPart {
    Test(TestSummary),
    Summary(RunSummary),
    Report(Vec<TestSummary>, RunSummary),
    /// A kind of line that a later version added.
    Unknown,
}

impl Object {
    /// The part that it is, or the reason that it is none.
    pub(crate) fn part(self) -> Result<ReportPart, String> {
        if self.version.is_none() {
            return Err("no `version`, which every report has".to_owned());
        }
        match (self.kind.as_deref(), self.results.is_some()) {
            (Some("result"), _) => TestSummary::try_from(self).map(ReportPart::Test),
            (Some("summary"), _) => {
                let total = self.total.ok_or("a summary without its `total`")?;
                Ok(ReportPart::Summary(RunSummary {
                    total,
                    elapsed_us: self.duration_ms,
                    exit_code: self.exit_code,
                }))
            }
            (None, true) => {
                let whole = self.summary.ok_or("results without a `summary`")?;
                Ok(ReportPart::Report(self.results.unwrap_or_default(), whole))
            }
            (Some(_), _) => Ok(ReportPart::Unknown),
            (None, false) => {
                Err("neither a `type` nor `results`, one of which every report has".to_owned())
            }
        }
    }
}

impl TryFrom<Object> for TestSummary {
    type Error = String;

    fn try_from(mut object: Object) -> Result<Self, String> {
        let id = object.id.ok_or("a result without its `id`")?;
        let Word(status) = object.status.ok_or("a result without its `status`")?;
        let in_turns = object
            .turns
            .iter_mut()
            .flat_map(|turn| turn.assertions.drain(..));
        let finding = in_turns
            .chain(object.final_assertions)
            .find(|finding| finding.passed != Some(true));
        let finding = finding.or(object.error).and_then(|finding| finding.message);
        let reason = finding
            .or(object.skip_reason)
            .filter(|_| status != Status::Passed);
        let first_line = |BoundedText(text): BoundedText| text.lines().next().map(str::to_owned);
        Ok(Self {
            id,
            status,
            flaky: object.flaky,
            quarantined: object.quarantined,
            duration_us: object.duration_ms.unwrap_or_default(),
            turns: object.turns.len(),
            ending: object
                .turns
                .last_mut()
                .and_then(|turn| turn.outcome.take())
                .map(|BoundedText(text)| text),
            tools: object
                .turns
                .into_iter()
                .flat_map(|turn| turn.tool_calls)
                .map(|call| call.name.0)
                .collect(),
            reason: reason.and_then(first_line),
        })
    }
}

impl<'de> Deserialize<'de> for TestSummary {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Object::deserialize(deserializer)?
            .try_into()
            .map_err(Error::custom)
    }
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "a turn")]
struct ReportedTurn {
    #[serde(default)]
    tool_calls: Vec<ReportedCall>,
    #[serde(default)]
    assertions: Vec<ReportedFinding>,
    outcome: Option<BoundedText>,
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "a tool call")]
struct ReportedCall {
    name: BoundedText,
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "a finding")]
struct ReportedFinding {
    passed: Option<bool>,
    message: Option<BoundedText>,
}

/// The reason that a result could not be evaluated; nothing for the number that a summary has under the same key.
fn problem<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<ReportedFinding>, D::Error> {
    match Value::deserialize(deserializer)? {
        problem @ Value::Object(_) => ReportedFinding::deserialize(problem)
            .map(Some)
            .map_err(Error::custom),
        _ => Ok(None),
    }
}

/// The format's version, where this program can read it.
#[derive(Debug, Deserialize)]
#[serde(try_from = "BoundedText")]
struct SupportedVersion;

impl TryFrom<BoundedText> for SupportedVersion {
    type Error = String;

    fn try_from(BoundedText(text): BoundedText) -> Result<Self, String> {
        match text.split_once('.') {
            Some((MAJOR_VERSION, _)) => Ok(Self),
            _ => Err(format!(
                "the format of the report is {text}, this program reads {MAJOR_VERSION}.x"
            )),
        }
    }
}

/// A verdict.
#[derive(Debug, Deserialize)]
#[serde(try_from = "BoundedText")]
struct Word(Status);

impl TryFrom<BoundedText> for Word {
    type Error = String;

    fn try_from(BoundedText(text): BoundedText) -> Result<Self, String> {
        let read: Result<Status, ValueError> =
            Status::deserialize(text.as_str().into_deserializer());
        read.map(Self)
            .map_err(|_| format!("`{text}` is not a valid status"))
    }
}

/// A text for people, bounded.
#[derive(Debug, Deserialize)]
#[serde(from = "String")]
struct BoundedText(String);

impl From<String> for BoundedText {
    fn from(text: String) -> Self {
        const LONGEST: usize = 400;
        Self(truncate::bytes(&text, LONGEST).into_owned())
    }
}

/// Whether a field says something. In a summary it counts; in a result it may say more than `true`.
fn is_marked<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::Null => false,
        Value::Bool(is_marked) => is_marked,
        Value::Number(count) => count.as_u64() != Some(0),
        Value::String(_) | Value::Array(_) | Value::Object(_) => true,
    })
}
