//! Replays a recording: ids, times and bytes come from the file, and nothing leaves the program.
//!
//! Flows in: what was recorded of one attempt. Flows out: the same answers to the same requests; another request is a
//! [`RecordingError`] that shows the difference.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

use super::diff;
use super::error::RecordingError;
use super::exchange::{Answer, End, Exchange, Recorded, ScriptAnswer};
use super::lane::Lane;
use crate::context::{At, Clock, Ids, ManualClock, digest};
use crate::outcome::Problem;
use crate::redact::{Markers, Redactor};
use crate::target::{Body, ClientEvent, HttpRequest, Method, Next, Received, Reply, TargetError, Transport};
use crate::variables::Secret;

/// What to do where a request is another than it was.
const LOOSE: &str = "the test or its target changed since then: record it again with `--record`, or play it all the same with `--replay-loose`";

/// Clock, ids and transport of an attempt that is replayed. Clones share what is left.
#[derive(Clone)]
pub struct Player(Arc<Shared>);

struct Shared {
    /// The file, as shown in messages.
    shown: String,
    /// Whether a request may be another than the one that was recorded.
    loose: bool,
    clock: Arc<ManualClock>,
    /// When the test began.
    started: At,
    secrets: Vec<String>,
    ended_unix_ms: u64,
    left: Mutex<Left>,
}

/// What is left to play.
struct Left {
    ids: BTreeMap<String, VecDeque<String>>,
    /// Every id of then, and those that had to be made up.
    known_ids: BTreeSet<String>,
    hooks: VecDeque<Result<Map<String, Value>, Problem>>,
    exchanges: VecDeque<Exchange>,
    scripts: Vec<ScriptAnswer>,
    turn: u32,
    /// When the exchange that is replayed was over, lane by lane.
    closed: BTreeMap<Lane, At>,
    markers: Markers,
    trouble: Option<RecordingError>,
}

impl Player {
    pub(super) fn new(recorded: Recorded, shown: String, loose: bool) -> Self {
        let Recorded { started_unix_us, ended_unix_ms, ids, secrets, hooks, exchanges, scripts } = recorded;
        let clock = ManualClock::new(started_unix_us / 1000);
        clock.advance(Duration::from_micros(started_unix_us % 1000));
        let started = clock.now();
        let left = Left {
            known_ids: ids.values().flatten().cloned().collect(),
            ids: ids.into_iter().map(|(kind, ids)| (kind, ids.into())).collect(),
            hooks: hooks.into(),
            exchanges: exchanges.into(),
            scripts,
            turn: 0,
            closed: BTreeMap::new(),
            markers: Markers::default(),
            trouble: None,
        };
        let left = Mutex::new(left);
        Self(Arc::new(Shared { shown, loose, clock: Arc::new(clock), started, secrets, ended_unix_ms, left }))
    }

    pub(super) fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.0.clock) as Arc<dyn Clock>
    }

    pub(super) fn ids(&self) -> Arc<dyn Ids> {
        Arc::new(self.clone())
    }

    pub(super) fn transport(&self, lane: Lane) -> Arc<dyn Transport> {
        Arc::new(ReplayedLane { player: self.clone(), lane })
    }

    pub(super) fn begin_turn(&self, turn: u32) {
        self.0.left().turn = turn;
    }

    pub(super) fn learn(&self, secrets: &[Secret], redactor: &Redactor) {
        self.0.left().markers = Markers::new(secrets, redactor.patterns());
    }

    /// When the test was over, in milliseconds since the Unix epoch.
    pub fn ended_unix_ms(&self) -> u64 {
        self.0.ended_unix_ms
    }

    /// The names of the secrets that markers stand for.
    pub fn secrets(&self) -> &[String] {
        &self.0.secrets
    }

    /// What the hook `number`, counted from 1, gave.
    ///
    /// # Errors
    /// Where there was no such hook.
    pub fn hook(&self, number: usize) -> Result<Result<Map<String, Value>, Problem>, RecordingError> {
        let gave = self.0.left().hooks.pop_front();
        gave.ok_or_else(|| self.0.stale(&format!("holds nothing of hook {number}, which the test has now")))
    }

    /// What the script `name` answered to `request` in this turn.
    ///
    /// # Errors
    /// Where it was not asked, or something else.
    pub fn script(
        &self,
        name: &str,
        request: &Value,
        redactor: &Redactor,
    ) -> Result<Result<Value, Problem>, RecordingError> {
        let mut left = self.0.left();
        let turn = left.turn;
        let (named, asked) = (left.markers.text(name), digest(&redactor.text(&request.to_string())));
        let is_of = |answer: &ScriptAnswer| answer.turn == turn && answer.name == named;
        let same = left.scripts.iter().position(|answer| is_of(answer) && answer.request == asked);
        let any = || left.scripts.iter().position(is_of);
        let found = match same {
            None if self.0.loose => any(),
            None if any().is_some() => {
                let what =
                    format!("holds an answer of the script `{name}` to another request in turn {turn}");
                return Err(RecordingError { help: Some(LOOSE.to_owned()), ..self.0.stale(&what) });
            }
            same => same,
        };
        let what = || format!("holds no answer of the script `{name}` in turn {turn}");
        let found = found.ok_or_else(|| self.0.stale(&what()))?;
        Ok(left.scripts.remove(found).gave)
    }

    /// What kept the recording from being played on.
    pub fn trouble(&self) -> Option<RecordingError> {
        self.0.left().trouble.clone()
    }

    /// The file of the recording, as shown in messages.
    pub(super) fn file(&self) -> &str {
        &self.0.shown
    }

    /// What to say of a test that was seen whole and asked for less than was recorded.
    pub fn unplayed(&self) -> Option<String> {
        let requests = match self.0.left().exchanges.len() {
            0 => return None,
            1 => "1 request".to_owned(),
            count => format!("{count} requests"),
        };
        Some(format!("the recording `{}` holds {requests} that the test no longer sends", self.0.shown))
    }
}

impl Shared {
    fn left(&self) -> MutexGuard<'_, Left> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A moment of the recording.
    fn at(&self, micros: u64) -> At {
        At(self.started.0.saturating_add(micros))
    }

    fn stale(&self, what: &str) -> RecordingError {
        RecordingError {
            message: format!("the recording `{}` {what}", self.shown),
            help: Some("the test changed since it was recorded: record it again with `--record`".to_owned()),
        }
    }

    /// The exchange of `lane` that answers a request with this body.
    fn asked(&self, lane: &Lane, method: Method, body: &str) -> Result<Exchange, RecordingError> {
        let mut left = self.left();
        let turn = left.turn;
        // What an earlier turn no longer sends.
        while left.exchanges.front().is_some_and(|exchange| exchange.turn < turn) {
            left.exchanges.pop_front();
        }
        let is_next = |exchange: &Exchange| exchange.turn == turn && exchange.lane == *lane;
        let next = left.exchanges.iter().position(is_next).and_then(|next| left.exchanges.remove(next));
        let Some(exchange) = next else {
            return Err(self.stale(&format!("holds no further request of turn {turn}")));
        };
        let body = left.markers.text(body);
        let of_body = || diff::difference(&exchange.body, &body, &left.known_ids);
        let difference = if exchange.method == method {
            of_body()
        } else {
            Some(vec![format!("recorded `{}`, now `{}`", exchange.method.as_str(), method.as_str())])
        };
        match difference.filter(|_| !self.loose) {
            None => Ok(exchange),
            Some(lines) => {
                let stale =
                    self.stale(&format!("is of another request in turn {turn}: {}", lines.join("; ")));
                Err(RecordingError { help: Some(LOOSE.to_owned()), ..stale })
            }
        }
    }
}

impl Ids for Player {
    fn next(&self, kind: &str) -> String {
        let mut left = self.0.left();
        if let Some(id) = left.ids.get_mut(kind).and_then(VecDeque::pop_front) {
            return id;
        }
        let id = format!("{kind}-not-recorded-{}", left.known_ids.len());
        left.known_ids.insert(id.clone());
        id
    }
}

/// The transport of one lane.
struct ReplayedLane {
    player: Player,
    lane: Lane,
}

impl Transport for ReplayedLane {
    fn moment(&self, event: ClientEvent) -> At {
        let Player(shared) = &self.player;
        let left = shared.left();
        match event {
            ClientEvent::Sends => {
                let is_next = |exchange: &&Exchange| exchange.turn >= left.turn && exchange.lane == self.lane;
                let next = left.exchanges.iter().find(is_next);
                next.map_or_else(|| shared.clock.now(), |exchange| shared.at(exchange.sent))
            }
            ClientEvent::Closes => left.closed.get(&self.lane).copied().unwrap_or_else(|| shared.clock.now()),
        }
    }

    fn send(&self, request: HttpRequest, until: At) -> BoxFuture<'_, Result<Option<Reply>, TargetError>> {
        Box::pin(async move {
            let Self { player, lane } = self;
            let shared = &player.0;
            let asked = shared.asked(lane, request.method, &String::from_utf8_lossy(&request.body));
            let error = |message, help| TargetError { message, received: Received::default(), help };
            let exchange = match asked {
                Ok(exchange) => exchange,
                Err(trouble) => {
                    let told = error(trouble.message.clone(), trouble.help.clone());
                    shared.left().trouble = Some(trouble);
                    return Err(told);
                }
            };
            let closed = exchange.closed.map(|micros| shared.at(micros));
            player.close(lane, closed);
            match exchange.answer {
                Answer::Failed(message, help) => Err(error(message, help)),
                Answer::Late => {
                    player.wait_until(until, closed);
                    Ok(None)
                }
                Answer::Came { at, .. } if shared.at(at) > until => {
                    player.close(lane, Some(until));
                    Ok(None)
                }
                Answer::Came { at, head, pieces, end } => {
                    let (player, lane) = (player.clone(), lane.clone());
                    let body = Played { pieces: pieces.into(), end, closed, player, lane };
                    Ok(Some(Reply { at: shared.at(at), head, body: Box::new(body) }))
                }
            }
        })
    }
}

impl Player {
    /// The exchange of `lane` is over then, or when its client says so.
    fn close(&self, lane: &Lane, at: Option<At>) {
        let closed = &mut self.0.left().closed;
        match at {
            Some(at) => closed.insert(lane.clone(), at),
            None => closed.remove(lane),
        };
    }

    /// Nothing came until then, if the recording was made that long.
    fn wait_until(&self, until: At, closed: Option<At>) {
        let Some(closed) = closed.filter(|closed| *closed < until) else { return };
        let micros = closed.since(self.0.started).as_millis() * 1000;
        let waited =
            humantime::format_duration(Duration::from_micros(u64::try_from(micros).unwrap_or(u64::MAX)));
        let what = format!("ends {waited} into the test, where nobody listened any more, and more may come");
        self.0.left().trouble = Some(self.0.stale(&what));
    }
}

/// A recorded response body.
struct Played {
    pieces: VecDeque<(u64, Bytes)>,
    end: End,
    closed: Option<At>,
    player: Player,
    lane: Lane,
}

impl Played {
    fn take(&mut self, until: At) -> Next {
        let shared = &self.player.0;
        if let Some((at, _)) = self.pieces.front() {
            let at = shared.at(*at);
            if at <= until
                && let Some((_, bytes)) = self.pieces.pop_front()
            {
                return Next::Bytes(at, bytes);
            }
            return self.late(until);
        }
        match &self.end {
            End::Complete => Next::End,
            End::Broken(at, cause) if shared.at(*at) <= until => Next::Broken(shared.at(*at), cause.clone()),
            End::Broken(..) => self.late(until),
            End::Left => {
                self.player.wait_until(until, self.closed);
                Next::Late
            }
        }
    }

    /// More came then, but later than it is waited for now.
    fn late(&self, until: At) -> Next {
        self.player.close(&self.lane, Some(until));
        Next::Late
    }
}

impl Body for Played {
    fn next(&mut self, until: At) -> BoxFuture<'_, Next> {
        let next = self.take(until);
        Box::pin(std::future::ready(next))
    }
}
