//! What a comparison keeps of a test: a few words and numbers, whatever the size of its transcript.
//!
//! Flows in: the objects of a report, a result in a line of its own or in the list of a whole file. Only known fields
//! are looked at; the rest is skipped, whatever it holds.

use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::outcome::Status;
use crate::report::json_lines::VERSION;
use crate::text::truncate;

/// One test of a report.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "Object")]
pub(super) struct Digest {
    pub(super) id: String,
    pub(super) status: Status,
    /// Whether it passed only when it was tried again.
    pub(super) flaky: bool,
    /// Whether it is known to fail, so that its verdict fails no run.
    pub(super) quarantined: bool,
    /// The agent's time in all turns together, in microseconds.
    pub(super) duration_us: u64,
    /// How many turns were sent.
    pub(super) turns: usize,
    /// The names of the tools that were called, in the order they began.
    pub(super) tools: Vec<String>,
    /// How the agent says that its last run ended.
    pub(super) ending: Option<String>,
    /// Why it did not pass or did not run: the first finding.
    pub(super) reason: Option<String>,
}

impl Digest {
    /// Whether it ran and did not pass.
    pub(super) fn fails(&self) -> bool {
        self.status.fails_the_run()
    }

    /// Whether its failing counts.
    pub(super) fn fails_the_run(&self) -> bool {
        self.fails() && !self.quarantined
    }
}

/// What a report says of its run as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(expecting = "a summary")]
pub(super) struct Whole {
    /// How many results there must be.
    pub(super) total: usize,
    #[serde(default, rename = "duration_ms", deserialize_with = "microseconds")]
    pub(super) elapsed_us: Option<u64>,
    /// Missing where the run was cut short.
    #[serde(default)]
    pub(super) exit_code: Option<i64>,
}

/// An object of a report as it is read: a line, a whole file, or a result in one.
#[derive(Debug, Deserialize)]
#[serde(expecting = "an object of a report")]
pub(super) struct Object {
    #[serde(rename = "type")]
    kind: Option<String>,
    version: Option<Version>,
    // A whole file.
    summary: Option<Whole>,
    results: Option<Vec<Digest>>,
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

/// What an object that stands for itself is.
pub(super) enum Part {
    Test(Digest),
    Summary(Whole),
    Report(Vec<Digest>, Whole),
    /// A kind of line that a later version added.
    Unknown,
}

impl Object {
    /// What it is, or why it is nothing.
    pub(super) fn part(self) -> Result<Part, String> {
        if self.version.is_none() {
            return Err("no `version`, which every report has".to_owned());
        }
        match (self.kind.as_deref(), self.results.is_some()) {
            (Some("result"), _) => Digest::try_from(self).map(Part::Test),
            (Some("summary"), _) => {
                let total = self.total.ok_or("a summary without its `total`")?;
                Ok(Part::Summary(Whole { total, elapsed_us: self.duration_ms, exit_code: self.exit_code }))
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

impl TryFrom<Object> for Digest {
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
        let major = |version: &str| version.split_once('.').map(|(major, _)| major.to_owned());
        if major(&text) == major(VERSION) {
            return Ok(Self);
        }
        let known = major(VERSION).unwrap_or_default();
        Err(Error::custom(format!("the format of the report is {text}, this program reads {known}.x")))
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

/// Milliseconds as microseconds.
fn microseconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    const A_CENTURY_MS: f64 = 3.2e12;
    let Some(ms) = Option::<f64>::deserialize(deserializer)? else { return Ok(None) };
    if !(0.0..A_CENTURY_MS).contains(&ms) {
        return Err(Error::custom(format!("nothing takes {ms} ms")));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range, and rounded")]
    Ok(Some((ms * 1000.0).round() as u64))
}
