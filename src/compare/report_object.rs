//! An object of a JSON report as a comparison reads it: a result on its own line or in the list of a file, a summary, or a
//! whole file. Only known fields are read; the rest is skipped, whatever it contains.

use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::run_summary::{RunSummary, microseconds};
use super::test_summary::TestSummary;
use crate::outcome::Status;
use crate::text::truncate;

/// The first number of the versions of the report format that can be read.
const MAJOR_VERSION: &str = "1";

/// An object of a report as it is read: a line, a whole file, or a result in one.
#[derive(Debug, Deserialize)]
#[serde(expecting = "an object of a report")]
pub(crate) struct Object {
    #[serde(rename = "type")]
    kind: Option<String>,
    version: Option<Version>,
    // A whole file.
    summary: Option<RunSummary>,
    results: Option<Vec<TestSummary>>,
    // The summary as a line.
    total: Option<usize>,
    exit_code: Option<i64>,
    // A result; the duration is that of either.
    id: Option<String>,
    status: Option<Word>,
    #[serde(default)]
    flaky: Flag,
    #[serde(default)]
    quarantined: Flag,
    #[serde(default, deserialize_with = "microseconds")]
    duration_ms: Option<u64>,
    #[serde(default)]
    turns: Vec<Turn>,
    #[serde(default)]
    final_assertions: Vec<Finding>,
    /// Of a result why it could not be judged; of a summary a number.
    #[serde(default)]
    error: Trouble,
    skip_reason: Option<Kept>,
}

/// What an object of a report is.
pub(crate) enum Part {
    Test(TestSummary),
    Summary(RunSummary),
    Report(Vec<TestSummary>, RunSummary),
    /// A kind of line that a later version added.
    Unknown,
}

impl Object {
    /// What it is, or why it is nothing.
    pub(crate) fn part(self) -> Result<Part, String> {
        if self.version.is_none() {
            return Err("no `version`, which every report has".to_owned());
        }
        match (self.kind.as_deref(), self.results.is_some()) {
            (Some("result"), _) => TestSummary::try_from(self).map(Part::Test),
            (Some("summary"), _) => {
                let total = self.total.ok_or("a summary without its `total`")?;
                Ok(Part::Summary(RunSummary {
                    total,
                    elapsed_us: self.duration_ms,
                    exit_code: self.exit_code,
                }))
            }
            (None, true) => {
                let whole = self.summary.ok_or("results without a `summary`")?;
                Ok(Part::Report(self.results.unwrap_or_default(), whole))
            }
            (Some(_), _) => Ok(Part::Unknown),
            (None, false) => Err("neither a `type` nor `results`, one of which every report has".to_owned()),
        }
    }
}

impl TryFrom<Object> for TestSummary {
    type Error = String;

    fn try_from(mut object: Object) -> Result<Self, String> {
        let id = object.id.ok_or("a result without its `id`")?;
        let Word(status) = object.status.ok_or("a result without its `status`")?;
        let in_turns = object.turns.iter_mut().flat_map(|turn| turn.assertions.drain(..));
        let finding = in_turns.chain(object.final_assertions).find(|finding| finding.passed != Some(true));
        let finding = finding.or(object.error.0).and_then(|finding| finding.message);
        let reason = finding.or(object.skip_reason).filter(|_| status != Status::Passed);
        let first_line = |Kept(text): Kept| text.lines().next().map(str::to_owned);
        Ok(Self {
            id,
            status,
            flaky: object.flaky.0,
            quarantined: object.quarantined.0,
            duration_us: object.duration_ms.unwrap_or_default(),
            turns: object.turns.len(),
            ending: object.turns.last_mut().and_then(|turn| turn.outcome.take()).map(|Kept(text)| text),
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
        Object::deserialize(deserializer)?.try_into().map_err(Error::custom)
    }
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "a turn")]
struct Turn {
    #[serde(default)]
    tool_calls: Vec<Call>,
    #[serde(default)]
    assertions: Vec<Finding>,
    outcome: Option<Kept>,
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "a tool call")]
struct Call {
    name: Kept,
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "a finding")]
struct Finding {
    passed: Option<bool>,
    message: Option<Kept>,
}

/// The `error` of an object.
#[derive(Debug, Default)]
struct Trouble(Option<Finding>);

impl<'de> Deserialize<'de> for Trouble {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberOrFinding;
        impl<'de> Visitor<'de> for NumberOrFinding {
            type Value = Trouble;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an error or a number of them")
            }

            fn visit_unit<E: Error>(self) -> Result<Trouble, E> {
                Ok(Trouble(None))
            }

            fn visit_u64<E: Error>(self, _: u64) -> Result<Trouble, E> {
                Ok(Trouble(None))
            }

            fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Trouble, A::Error> {
                Finding::deserialize(MapAccessDeserializer::new(entries))
                    .map(|finding| Trouble(Some(finding)))
            }
        }
        deserializer.deserialize_any(NumberOrFinding)
    }
}

/// The format's version, where this program can read it.
#[derive(Debug)]
struct Version;

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Kept(text) = Kept::deserialize(deserializer)?;
        if text.split_once('.').is_some_and(|(major, _)| major == MAJOR_VERSION) {
            return Ok(Self);
        }
        Err(Error::custom(format!(
            "the format of the report is {text}, this program reads {MAJOR_VERSION}.x"
        )))
    }
}

/// A verdict.
#[derive(Debug)]
struct Word(Status);

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Kept(text) = Kept::deserialize(deserializer)?;
        Status::named(&text).map(Self).ok_or_else(|| Error::custom(format!("`{text}` is no status")))
    }
}

/// A text for people, bounded.
#[derive(Debug)]
struct Kept(String);

impl<'de> Deserialize<'de> for Kept {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bounded;
        impl Visitor<'_> for Bounded {
            type Value = Kept;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a string")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Kept, E> {
                const LONGEST: usize = 400;
                Ok(Kept(truncate::bytes(text, LONGEST).into_owned()))
            }
        }
        deserializer.deserialize_str(Bounded)
    }
}

/// Whether a field says something. In a summary it counts; in a result it may say more than `true`.
#[derive(Debug, Default)]
struct Flag(bool);

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Anything;
        impl<'de> Visitor<'de> for Anything {
            type Value = Flag;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a mark")
            }

            fn visit_bool<E: Error>(self, value: bool) -> Result<Flag, E> {
                Ok(Flag(value))
            }

            fn visit_unit<E: Error>(self) -> Result<Flag, E> {
                Ok(Flag(false))
            }

            fn visit_u64<E: Error>(self, count: u64) -> Result<Flag, E> {
                Ok(Flag(count > 0))
            }

            fn visit_str<E: Error>(self, _: &str) -> Result<Flag, E> {
                Ok(Flag(true))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Flag, A::Error> {
                while items.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Flag(true))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Flag, A::Error> {
                while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Flag(true))
            }
        }
        deserializer.deserialize_any(Anything)
    }
}
