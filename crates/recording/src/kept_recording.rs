//! One recording in memory, whatever its file is called: read, replayed for any test, and copied for another test.
//!
//! Flows in: the text of a file. Flows out: which attempt it is of, what a test was given in it, and replays. A copy
//! contains what the test that is replayed uses of it, as that test sends it.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde_json::{Map, Value};

use super::agent_exchange::AgentExchange;
use super::frames::Frames;
use super::recording_limits::RecordingLimits;
use super::recordings::bounded;
use super::replay::{Replay, problem};
use super::request_match::RequestMatch;
use super::stream_fault::{self, StreamFault};
use super::{file, name};
use crate::exchange::{ProgramLine, Recorded, RecordedResponse};
use ananke_base::context::{CaseKey, lock};
use ananke_base::message::Lane;
use ananke_base::source::reason;
use ananke_trace::outcome::Problem;
use ananke_trace::redact::{Redactor, marker};

/// One recording in memory.
#[derive(Debug)]
pub struct KeptRecording {
    key: CaseKey,
    recorded: Recorded,
    /// Its file, as shown in messages.
    shown: String,
    requests: RequestMatch,
    /// The text of its copy, if it is copied.
    copy: Option<Mutex<Option<String>>>,
}

impl KeptRecording {
    /// The recording in the file at `path`, which messages call `shown`.
    ///
    /// # Errors
    /// If it cannot be read, or is not a recording.
    pub fn open(path: &Path, shown: &str) -> Result<Self, Problem> {
        let limits = RecordingLimits::default();
        let unusable = |why: &str| problem(format!("the recording `{shown}` {why}"), None);
        match bounded(path, limits.bytes) {
            Ok(Some(text)) => match limits.exceeded_by(&text) {
                Some(excess) => Err(unusable(&excess)),
                None => Self::read(&text, shown),
            },
            Ok(None) => Err(unusable(&limits.too_large())),
            Err(error) => Err(unusable(&format!("cannot be read: {}", reason(&error)))),
        }
    }

    /// The recording that is `text`, which messages call `shown`.
    ///
    /// # Errors
    /// If it is not a recording.
    pub fn read(text: &str, shown: &str) -> Result<Self, Problem> {
        let (key, recorded) =
            file::read_any(text, |_| true).map_err(|file::RecordingError { line, message }| {
                let message =
                    format!("the recording `{shown}` cannot be replayed: line {line}: {message}");
                problem(
                    message,
                    Some("name a file that `ananke run --record` has written"),
                )
            })?;
        Ok(Self {
            key,
            recorded,
            shown: shown.to_owned(),
            requests: RequestMatch::Exact,
            copy: None,
        })
    }

    /// The attempt and the test that it is of.
    pub fn key(&self) -> &CaseKey {
        &self.key
    }

    /// The actions that it took, if it is of a walk.
    pub fn actions(&self) -> &[String] {
        &self.recorded.actions
    }

    /// Whether its file is not as it was written.
    pub fn is_edited(&self) -> bool {
        self.recorded.is_edited
    }

    /// The variables that the config's `setup` and the hooks of the test gave, later ones over earlier ones.
    pub fn given_variables(&self) -> Map<String, Value> {
        let hooks = self.recorded.hooks.iter().flatten();
        let given = std::iter::once(&self.recorded.setup).chain(hooks).flatten();
        given
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }

    /// The `value` of the variable `name`, or the marker that the recording has instead of it.
    pub fn masked(&self, name: &str, value: &str) -> String {
        let is_secret = self.recorded.secrets.iter().any(|secret| secret == name);
        if is_secret {
            marker(name)
        } else {
            value.to_owned()
        }
    }

    /// The numbers of the responses of the agent that have several events, over HTTP or of a program, each with its turn, counted
    /// from 1.
    pub fn streams(&self) -> impl Iterator<Item = (usize, u32)> {
        stream_fault::streams(&self.recorded)
    }

    /// Whether the response `number` can end with the protocol's event for an agent that failed.
    pub fn can_report_failure(&self, number: usize) -> bool {
        stream_fault::can_report_failure(&self.recorded, number)
    }

    /// The same with a fault in the response `number`; `None` if there is no such response.
    #[must_use]
    pub fn with_fault(&self, number: usize, fault: StreamFault) -> Option<Self> {
        let mut recorded = self.recorded.clone();
        let (key, shown) = (self.key.clone(), self.shown.clone());
        let put = stream_fault::put(&mut recorded, number, fault);
        put.then_some(Self {
            key,
            recorded,
            shown,
            requests: self.requests,
            copy: None,
        })
    }

    /// The data that the agent sent in `turn`, counted from 1: each event, or line of a program, with the moment at which it came,
    /// in microseconds since the first request of the turn was sent.
    pub fn received_in(&self, turn: u32) -> Vec<(u64, String)> {
        let is_meant = |of: u32, lane: &Lane| of == turn && *lane == Lane::Agent;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
        let mut received = Vec::new();
        let mut began = u64::MAX;
        for exchange in &self.recorded.exchanges {
            if is_meant(exchange.key.turn, &exchange.key.lane) {
                began = began.min(exchange.sent);
            }
            if let RecordedResponse::Received { pieces, .. } = &exchange.answer
                && is_meant(exchange.key.turn, &exchange.key.lane)
            {
                for (at, bytes) in pieces {
                    let mut frames = Frames::new();
                    frames.add(bytes, |event| received.push((*at, text(&event))));
                    let rest = text(&frames.rest());
                    received.extend((!rest.is_empty()).then_some((*at, rest)));
                }
            }
        }
        for program in &self.recorded.programs {
            let mut current = program.key.turn;
            for line in &program.lines {
                match line {
                    ProgramLine::Sent { turn, at, .. } => {
                        current = *turn;
                        if is_meant(current, &program.key.lane) {
                            began = began.min(*at);
                        }
                    }
                    ProgramLine::Received(at, bytes) if is_meant(current, &program.key.lane) => {
                        received.push((*at, text(bytes)));
                    }
                    ProgramLine::Received(..) | ProgramLine::Closed(_) => {}
                }
            }
        }
        let since = |(at, text): (u64, String)| (at.saturating_sub(began), text);
        received.into_iter().map(since).collect()
    }

    /// The requests to the agent over HTTP and its answers, in their order.
    pub fn agent_exchanges(&self) -> impl Iterator<Item = AgentExchange> {
        let of_agent = self
            .recorded
            .exchanges
            .iter()
            .filter(|exchange| exchange.key.lane == Lane::Agent);
        of_agent.map(AgentExchange::of)
    }

    /// The directory that it is in, if its file is called as recordings of its test are.
    pub fn folder(&self, path: &Path) -> Option<PathBuf> {
        let own = name::path(Path::new(""), &self.key);
        let is_own = path.ends_with(&own);
        let mut folder = path.ancestors().skip(own.components().count());
        is_own
            .then(|| folder.next().map(Path::to_path_buf))
            .flatten()
    }

    /// The same to be copied, without what helpers of this role and, if there is one, the script of this name were asked, and
    /// without what a person typed.
    #[must_use]
    pub fn to_copy_without(&self, role: &str, script: Option<&str>) -> Self {
        let mut recorded = self.recorded.clone();
        let is_dropped =
            |lane: &Lane| matches!(lane, Lane::Helper { role: found, .. } if found == role);
        recorded
            .exchanges
            .retain(|exchange| !is_dropped(&exchange.key.lane));
        recorded
            .programs
            .retain(|program| !is_dropped(&program.key.lane));
        recorded
            .scripts
            .retain(|answer| Some(answer.name.as_str()) != script);
        recorded.typed.clear();
        Self {
            key: self.key.clone(),
            recorded,
            shown: self.shown.clone(),
            requests: RequestMatch::ExactForAgent,
            copy: Some(Mutex::default()),
        }
    }

    /// The copy, once a test that it was replayed for is over.
    pub fn take_copy(&self) -> Option<String> {
        lock(self.copy.as_ref()?).take()
    }

    pub(super) fn is_copied(&self) -> bool {
        self.copy.is_some()
    }

    pub(super) fn set_copy(&self, text: String) {
        if let Some(copy) = &self.copy {
            *lock(copy) = Some(text);
        }
    }

    pub(super) fn replay(self: &Arc<Self>, redactor: &Redactor) -> Replay {
        Replay::new(
            self.recorded.clone(),
            self.shown.clone(),
            self.requests,
            redactor.clone(),
        )
    }
}

/// The beginning of every recording.
const START: &[u8] = b"{\"recording\":";

/// Whether the file at `path` begins like a recording.
pub fn is_recording(path: &Path) -> bool {
    let mut start = Vec::new();
    let read =
        File::open(path).and_then(|file| file.take(START.len() as u64).read_to_end(&mut start));
    read.is_ok() && start == START
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A recorded conversation of two turns with a real agent.
    const RECORDED: &str = include_str!(
        "../../../tests/real/agents/recordings/passing/bag/patches-of-the-state-travel-back-and-forth-5c008a54.jsonl"
    );

    #[test]
    fn events_are_timed_from_the_request_of_their_turn() {
        let recording = KeptRecording::read(RECORDED, "it").unwrap();
        let turns = [1, 2].map(|turn| recording.received_in(turn));
        // Sent after 15,249 µs, received after 81,906 µs.
        let (at, event) = &turns[0][0];
        assert_eq!(*at, 66_657);
        assert!(event.contains("RUN_STARTED"), "{event}");
        let moments = RECORDED
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        let moments: Vec<serde_json::Value> = moments.collect();
        let second = moments
            .iter()
            .position(|line| line["request"]["turn"] == 2)
            .unwrap();
        let at = |line: &serde_json::Value, kind: &str| line[kind]["at_us"].as_u64();
        let sent = at(&moments[second], "request").unwrap();
        let first = moments[second..].iter().find_map(|line| at(line, "event"));
        assert_eq!(turns[1][0].0, first.unwrap() - sent);
        assert!(recording.received_in(3).is_empty());
    }
}
