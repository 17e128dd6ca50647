//! Clock, ids and transport of one attempt: live, recorded or replayed.
//!
//! It is between the engine and everything that is not the same the next time: the network, the hooks, the scripts, the
//! clock and the ids. What was recorded goes through the same decoder and the same rules again.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::error::RecordingError;
use super::lane::Lane;
use super::recorder::Recorder;
use super::recordings::{Mode, Recordings};
use super::replay::Player;
use crate::context::{At, CaseKey, Context};
use crate::outcome::Problem;
use crate::redact::{Redactor, marker};
use crate::target::Transport;
use crate::variables::Secret;

/// The world of one attempt at a test.
pub struct Tape {
    /// Environment, clock and ids.
    pub context: Context,
    /// The way to agents on the network.
    pub transport: Arc<dyn Transport>,
    /// When the test began.
    pub started: At,
    /// Whether nobody is told of what happens here.
    pub is_rehearsal: bool,
    kind: Kind,
}

enum Kind {
    Live,
    Records(Recorder, Recordings),
    Plays(Player),
}

impl Tape {
    /// The world of the attempt `key`, in a run in this world.
    ///
    /// # Errors
    /// Where a recording is to be played and there is none, or none that can be read.
    pub fn open(
        recordings: Option<&Recordings>,
        key: &CaseKey,
        context: &Context,
        transport: &Arc<dyn Transport>,
    ) -> Result<Self, RecordingError> {
        let Some(recordings) = recordings else {
            return Ok(Self::live(context, transport));
        };
        let played = match recordings.mode {
            Mode::Record => None,
            Mode::Replay | Mode::RecordMissing => recordings.read(key)?,
        };
        match (played, recordings.mode) {
            (Some(found), _) => Ok(Self::plays(found, context)),
            (None, Mode::Replay) => Err(recordings.missing(key)),
            (None, _) => {
                let started = context.clock.now();
                let recorder = Recorder::new(key.clone(), context, started, Arc::clone(transport));
                let context = Context { ids: recorder.ids(), ..context.clone() };
                let transport = recorder.transport(Lane::Agent);
                Ok(Self::new(context, transport, started, Kind::Records(recorder, recordings.clone())))
            }
        }
    }

    /// The run's own world.
    pub fn live(context: &Context, transport: &Arc<dyn Transport>) -> Self {
        Self::new(context.clone(), Arc::clone(transport), context.clock.now(), Kind::Live)
    }

    fn new(context: Context, transport: Arc<dyn Transport>, started: At, kind: Kind) -> Self {
        Self { context, transport, started, is_rehearsal: false, kind }
    }

    fn plays(player: Player, context: &Context) -> Self {
        let mut environment = Arc::clone(&context.environment);
        let secret = player.secrets().iter().filter_map(|name| Some((name, name.strip_prefix("ENV.")?)));
        for (name, variable) in secret {
            // The value of then is not known, and that of now may be another.
            Arc::make_mut(&mut environment).set(variable, marker(name));
        }
        let context = Context { environment, clock: player.clock(), ids: player.ids(), ..context.clone() };
        let started = context.clock.now();
        Self::new(context, player.transport(Lane::Agent), started, Kind::Plays(player))
    }

    /// The way to who talks in `lane`.
    pub fn transport_of(&self, lane: Lane) -> Arc<dyn Transport> {
        match &self.kind {
            Kind::Live => Arc::clone(&self.transport),
            Kind::Records(recorder, _) => recorder.transport(lane),
            Kind::Plays(player) => player.transport(lane),
        }
    }

    /// What plays the recording, where one is played.
    pub fn player(&self) -> Option<&Player> {
        match &self.kind {
            Kind::Plays(player) => Some(player),
            Kind::Live | Kind::Records(..) => None,
        }
    }

    /// Who listens, where somebody does.
    pub fn recorder(&self) -> Option<&Recorder> {
        match &self.kind {
            Kind::Records(recorder, _) => Some(recorder),
            Kind::Live | Kind::Plays(_) => None,
        }
    }

    /// What follows belongs to `turn`, counted from 1.
    pub fn begin_turn(&self, turn: u32) {
        match &self.kind {
            Kind::Live => {}
            Kind::Records(recorder, _) => recorder.begin_turn(turn),
            Kind::Plays(player) => player.begin_turn(turn),
        }
    }

    /// All secrets that are known by now; `redactor` knows what else is one by its looks.
    pub fn learn(&self, secrets: &[Secret], redactor: &Redactor) {
        match &self.kind {
            Kind::Live => {}
            Kind::Records(recorder, _) => recorder.learn(secrets, redactor),
            Kind::Plays(player) => player.learn(secrets, redactor),
        }
    }

    /// What the next hook gave, for whoever listens.
    pub fn hook_gave(&self, gave: Result<&Map<String, Value>, &Problem>) {
        if let Kind::Records(recorder, _) = &self.kind {
            recorder.hook(gave.cloned().map_err(Clone::clone));
        }
    }

    /// What the script `name` answered to `request`, for whoever listens.
    pub fn script_gave(&self, name: &str, request: &Value, gave: Result<&Value, &Problem>) {
        if let Kind::Records(recorder, _) = &self.kind {
            recorder.script(name, request, gave.cloned().map_err(Clone::clone));
        }
    }

    /// The world of the recording that was just made, before it is kept, where there are secrets: the test must come to
    /// the same there.
    ///
    /// # Errors
    /// Where it may not be kept.
    pub fn rehearsal(
        &self,
        ended_unix_ms: u64,
        context: &Context,
        redactor: &Redactor,
    ) -> Result<Option<Self>, RecordingError> {
        let Kind::Records(recorder, recordings) = &self.kind else { return Ok(None) };
        let player = recorder.rehearsed(recordings, ended_unix_ms, redactor)?;
        Ok(player.map(|player| Self { is_rehearsal: true, ..Self::plays(player, context) }))
    }

    /// The test was over at `ended_unix_ms`, in milliseconds since the Unix epoch: writes the recording, where one was made.
    /// The file of the recording that was made or played, as shown in messages, where there is one.
    ///
    /// # Errors
    /// Where it cannot be written, or would hold a secret.
    pub fn keep(&self, ended_unix_ms: u64, redactor: &Redactor) -> Result<Option<String>, RecordingError> {
        match &self.kind {
            Kind::Live => Ok(None),
            Kind::Records(recorder, recordings) => {
                recorder.keep(recordings, ended_unix_ms, redactor).map(Some)
            }
            Kind::Plays(player) => Ok(Some(player.file().to_owned())),
        }
    }
}
