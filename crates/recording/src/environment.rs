//! Clock, ids, transports, hook results and script answers of one attempt: live, recorded or replayed.
//!
//! It is between a test and everything that is not the same the next time: the network, hooks, scripts, the clock and
//! ids. Its users do not know which of the three it is. What is replayed goes through the same decoder and the
//! same rules again.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Map, Value};

use super::attempt_store::RecordedAttempt;
use super::kept_recording::KeptRecording;
use super::recorded_launcher::RecordedLauncher;
use super::recorded_transport::RecordedTransport;
use super::recorder::{Recorder, RecordingExtent};
use super::recordings::{RecordingMode, Recordings};
use super::replay::{Replay, ReplayedLane, problem};
use super::replayed_models::ReplayedModels;
use ananke_agents::http::CookieTransport;
use ananke_agents::pipe::{PipeLauncher, ProgramLauncher, SharedPrograms};
use ananke_agents::{SessionOptions, Transport, UndeclaredCalls};
use ananke_base::context::{At, CaseKey, Context, Ids, lock};
use ananke_base::message::Lane;
use ananke_model::variables::{Mode, Secret};
use ananke_trace::outcome::{Halt, Problem};
use ananke_trace::redact::{Redactor, marker};

/// The outside world of one attempt at a test.
pub struct AttemptEnvironment {
    /// Environment variables, clock and ids.
    pub context: Context,
    /// The way to agents on the network.
    pub transport: Arc<dyn Transport>,
    /// The way to agents that are programs.
    pub programs: Arc<dyn PipeLauncher>,
    /// Masks the secrets of the test.
    pub redactor: Redactor,
    /// Ids and transport without a recorder over them.
    own: Outside,
    started: At,
    source: EnvironmentSource,
    /// The number of helpers of each role that were asked in this turn.
    helpers: Mutex<BTreeMap<&'static str, u32>>,
}

/// Ids and transport.
struct Outside {
    ids: Arc<dyn Ids>,
    transport: Arc<dyn Transport>,
}

/// The source of clock, ids and transport.
enum EnvironmentSource {
    Live,
    /// Live, and recorded: into a file, or only as long as the attempt is looked at.
    Recorded(Recorder, Option<Recordings>),
    Replayed(Replay),
    /// Live, and what is received is recorded for the store of runs.
    Stored(Recorder),
    /// Replayed, and what the test uses of it is recorded again.
    Copied(Replay, Recorder, Arc<KeptRecording>),
}

impl AttemptEnvironment {
    /// The run's own outside world.
    pub fn live(context: &Context, transport: &Arc<dyn Transport>, redactor: &Redactor) -> Self {
        let with_cookies = CookieTransport::new(Arc::clone(transport), Arc::clone(&context.clock));
        let transport: Arc<dyn Transport> = Arc::new(with_cookies);
        Self {
            context: context.clone(),
            transport: Arc::clone(&transport),
            programs: Arc::new(ProgramLauncher::new(context)),
            redactor: redactor.clone(),
            own: Outside {
                ids: Arc::clone(&context.ids),
                transport,
            },
            started: context.clock.now(),
            source: EnvironmentSource::Live,
            helpers: Mutex::default(),
        }
    }

    /// The same, in which tests share these programs.
    #[must_use]
    pub fn sharing(self, programs: &Arc<SharedPrograms>) -> Self {
        let launcher = ProgramLauncher::new(&self.context).sharing(programs);
        Self {
            programs: Arc::new(launcher),
            ..self
        }
    }

    /// The same for the attempt `key`, recorded or replayed as `recordings` says.
    ///
    /// # Errors
    /// If a recording is to be replayed that does not exist or cannot be read.
    pub fn with_recordings(self, recordings: &Recordings, key: &CaseKey) -> Result<Self, Problem> {
        let found = match recordings.mode {
            RecordingMode::Record => None,
            RecordingMode::Replay | RecordingMode::RecordMissing => {
                recordings.read(key, &self.redactor)?
            }
        };
        match (found, recordings.mode) {
            (Some(replay), _) => Ok(Self::replayed(replay, &self.context, self.redactor)),
            (None, RecordingMode::Replay) => Err(recordings.missing(key)),
            (None, _) => {
                let recordings = recordings.clone();
                Ok(self.recorded(key, RecordingExtent::Whole, |recorder| {
                    EnvironmentSource::Recorded(recorder, Some(recordings))
                }))
            }
        }
    }

    /// The same, recorded as the first attempt at the test of `key`. No file is written.
    #[must_use]
    pub fn recorded_in_memory(self, key: &CaseKey) -> Self {
        let key = CaseKey::first(key.test.clone());
        self.recorded(&key, RecordingExtent::Whole, |recorder| {
            EnvironmentSource::Recorded(recorder, None)
        })
    }

    /// The same, of which at most `most` bytes of responses are recorded as the attempt `key`. No file is written.
    #[must_use]
    pub fn recorded_for_store(self, key: &CaseKey, most: u64) -> Self {
        let extent = RecordingExtent::Responses(most);
        self.recorded(key, extent, EnvironmentSource::Stored)
    }

    /// The same for the attempt `key`, replayed from `kept`, whatever attempt that is of.
    #[must_use]
    pub fn with_recording(self, kept: &Arc<KeptRecording>, key: &CaseKey) -> Self {
        let replay = kept.replay(&self.redactor);
        let replayed = Self::replayed(replay.clone(), &self.context, self.redactor);
        if kept.is_copied() {
            let kept = Arc::clone(kept);
            return replayed.recorded(key, RecordingExtent::Whole, |recorder| {
                EnvironmentSource::Copied(replay, recorder, kept)
            });
        }
        replayed
    }

    /// The same with a recorder of this `extent` of the attempt `key` over it.
    fn recorded(
        self,
        key: &CaseKey,
        extent: RecordingExtent,
        source: impl FnOnce(Recorder) -> EnvironmentSource,
    ) -> Self {
        let Self {
            context,
            transport,
            programs,
            started,
            redactor,
            ..
        } = self;
        let recorder = Recorder::new(
            key.clone(),
            extent,
            &*context.clock,
            started,
            redactor.clone(),
        );
        let lane = Lane::Agent;
        let ids = recorder.ids(&lane, Arc::clone(&context.ids));
        let programs = RecordedLauncher {
            recorder: recorder.clone(),
            lane: lane.clone(),
            launcher: programs,
        };
        Self {
            own: Outside {
                ids: Arc::clone(&context.ids),
                transport: Arc::clone(&transport),
            },
            context: Context { ids, ..context },
            transport: Arc::new(RecordedTransport {
                recorder: recorder.clone(),
                lane,
                transport,
            }),
            programs: Arc::new(programs),
            source: source(recorder),
            started,
            redactor,
            ..self
        }
    }

    fn replayed(replay: Replay, context: &Context, redactor: Redactor) -> Self {
        let mut environment = Arc::clone(&context.environment);
        let secrets = replay
            .secrets()
            .iter()
            .filter_map(|name| Some((name, name.strip_prefix("ENV.")?)));
        for (name, variable) in secrets {
            // The recorded value is not known, and the current one may be another.
            Arc::make_mut(&mut environment).set(variable, marker(name));
        }
        let ids = replay.ids(&Lane::Agent);
        let context = Context {
            environment,
            clock: replay.clock(),
            ids,
            ..context.clone()
        };
        let lane = replay.lane(&Lane::Agent, None);
        let transport: Arc<dyn Transport> = Arc::<ReplayedLane>::clone(&lane);
        Self {
            own: Outside {
                ids: Arc::clone(&context.ids),
                transport: Arc::clone(&transport),
            },
            started: context.clock.now(),
            context,
            transport,
            programs: lane,
            redactor,
            source: EnvironmentSource::Replayed(replay),
            helpers: Mutex::default(),
        }
    }

    /// The lane of the next helper of this role in this turn.
    pub fn helper_lane(&self, role: &'static str) -> Lane {
        let mut helpers = lock(&self.helpers);
        let number = helpers.entry(role).or_default();
        *number += 1;
        Lane::Helper {
            role: role.to_owned(),
            number: *number,
        }
    }

    /// The options of a session on this thread, with no history and no client-side tools.
    pub fn session_options(&self, key: CaseKey, thread_id: String) -> SessionOptions {
        SessionOptions {
            key,
            thread_id,
            history: Vec::new(),
            client_tools: Arc::default(),
            declares_tools: false,
            undeclared: UndeclaredCalls::Rejected,
            offered: Arc::default(),
            clock: self.context.clock.clone(),
            ids: self.context.ids.clone(),
            transport: self.transport.clone(),
            programs: self.programs.clone(),
        }
    }

    /// The ids of a helper, which are recorded in its own lane.
    pub fn helper_ids(&self, lane: &Lane) -> Arc<dyn Ids> {
        let ids = self
            .replay()
            .map_or_else(|| Arc::clone(&self.own.ids), |replay| replay.ids(lane));
        self.recorder().map_or_else(
            || Arc::clone(&ids),
            |recorder| recorder.ids(lane, Arc::clone(&ids)),
        )
    }

    /// The way of `helper` to an agent on the network, in its own lane.
    pub fn helper_transport(&self, lane: &Lane, helper: &str) -> Arc<dyn Transport> {
        let transport: Arc<dyn Transport> = match self.replay() {
            Some(replay) => replay.lane(lane, Some(helper)),
            None => Arc::clone(&self.own.transport),
        };
        match self.recorder() {
            Some(recorder) => Arc::new(RecordedTransport {
                recorder: recorder.clone(),
                lane: lane.clone(),
                transport,
            }),
            None => transport,
        }
    }

    /// The way of `helper` to an agent that is a program, in its own lane.
    pub fn helper_programs(&self, lane: &Lane, helper: &str) -> Arc<dyn PipeLauncher> {
        let launcher: Arc<dyn PipeLauncher> = match self.replay() {
            Some(replay) => replay.lane(lane, Some(helper)),
            None => Arc::new(ProgramLauncher::new(&self.context)),
        };
        match self.recorder() {
            Some(recorder) => Arc::new(RecordedLauncher {
                recorder: recorder.clone(),
                lane: lane.clone(),
                launcher,
            }),
            None => launcher,
        }
    }

    /// The models of the agent, if this is a replay of an attempt whose requests to models were seen.
    pub fn replayed_models(&self) -> Option<ReplayedModels> {
        let replay = self.replay()?;
        // Rules about requests are not shown without them, so that a replay without models must not look like one with no calls.
        if !replay.sees_models() {
            return None;
        }
        Some(ReplayedModels(replay.clone()))
    }

    /// The mode in which leaves are filled.
    pub fn mode(&self) -> Mode {
        if self.replay().is_some() {
            Mode::Replay
        } else {
            Mode::Send
        }
    }

    /// The secrets whose values are not known, since a recording contains markers instead: each with its marker.
    pub fn unknown_secrets(&self) -> impl Iterator<Item = (&str, String)> {
        self.replay()
            .into_iter()
            .flat_map(Replay::secrets)
            .map(|name| (name.as_str(), marker(name)))
    }

    /// The moment at which the attempt started, in milliseconds since the Unix epoch.
    pub fn started_unix_ms(&self) -> u64 {
        self.context.clock.unix_ms(self.started)
    }

    /// The moment at which the attempt, which is over now, ended, in milliseconds since the Unix epoch.
    pub fn ended_unix_ms(&self) -> u64 {
        let clock = &self.context.clock;
        self.replay()
            .map_or_else(|| clock.unix_ms(clock.now()), Replay::ended_unix_ms)
    }

    /// Follows the conversation if it is recorded.
    pub fn recorder(&self) -> Option<&Recorder> {
        match &self.source {
            EnvironmentSource::Recorded(recorder, _)
            | EnvironmentSource::Stored(recorder)
            | EnvironmentSource::Copied(_, recorder, _) => Some(recorder),
            EnvironmentSource::Live | EnvironmentSource::Replayed(_) => None,
        }
    }

    fn replay(&self) -> Option<&Replay> {
        match &self.source {
            EnvironmentSource::Replayed(replay) | EnvironmentSource::Copied(replay, ..) => {
                Some(replay)
            }
            EnvironmentSource::Live
            | EnvironmentSource::Recorded(..)
            | EnvironmentSource::Stored(_) => None,
        }
    }

    /// Begins `turn`, counted from 1, to which all that follows belongs.
    pub fn begin_turn(&self, turn: u32) {
        lock(&self.helpers).clear();
        self.recorder()
            .into_iter()
            .for_each(|recorder| recorder.begin_turn(turn));
        self.replay()
            .into_iter()
            .for_each(|replay| replay.begin_turn(turn));
    }

    /// `turn`, counted from 1, is not needed: what was recorded of it is not asked for.
    pub fn pass_over_turn(&self, turn: u32) {
        if let Some(replay) = self.replay() {
            replay.pass_over_turn(turn);
        }
    }

    /// These values are masked from now on.
    pub fn add_secrets(&self, secrets: &[Secret]) {
        self.redactor.add(secrets);
        self.recorder()
            .into_iter()
            .for_each(|recorder| recorder.add_secrets(secrets));
        self.replay()
            .into_iter()
            .for_each(|replay| replay.add_secrets(secrets));
    }

    /// The variables that the config's `setup` gives: `gave` in this run, or what it gave when the test was recorded.
    pub fn setup(&self, gave: &Map<String, Value>) -> Map<String, Value> {
        let gave = self.replay().map_or(gave, Replay::setup);
        self.recorder()
            .into_iter()
            .for_each(|recorder| recorder.setup(gave));
        gave.clone()
    }

    /// The variables that the hook `number`, counted from 1, gives. `run` runs it.
    ///
    /// # Errors
    /// If the hook fails, or the recording has no such hook.
    pub async fn hook(
        &self,
        number: usize,
        run: impl Future<Output = Result<Map<String, Value>, Halt>>,
    ) -> Result<Map<String, Value>, Halt> {
        let gave = match self.replay() {
            Some(replay) => replay.hook(number).map_err(Halt::from),
            None => run.await,
        };
        if let (Some(recorder), Some(gave)) = (self.recorder(), to_record(&gave)) {
            recorder.hook(gave);
        }
        gave
    }

    /// The answer of the script `name` to `request`. `run` runs it; `mismatch` names what is wrong with a recorded
    /// answer.
    ///
    /// # Errors
    /// If the script fails, or the recording has no answer to this request that fits.
    pub async fn script(
        &self,
        name: &str,
        request: &Value,
        mismatch: impl Fn(&Value) -> Option<&'static str>,
        run: impl Future<Output = Result<Value, Halt>>,
    ) -> Result<Value, Halt> {
        let gave = match self.replay() {
            Some(replay) => replay
                .script(name, request)
                .map_err(Halt::from)
                .and_then(|answer| {
                    let Some(what) = mismatch(&answer) else {
                        return Ok(answer);
                    };
                    let message =
                        format!("the recording holds no answer of the script `{name}`, but {what}");
                    Err(problem(message, None).into())
                }),
            None => run.await,
        };
        if let (Some(recorder), Some(gave)) = (self.recorder(), to_record(&gave)) {
            recorder.script(name, request, gave);
        }
        gave
    }

    /// Whether this is the replay of a conversation in which a person was asked for input.
    pub fn has_recorded_input(&self) -> bool {
        self.replay().is_some_and(Replay::has_typed)
    }

    /// The text that a person typed in this turn when it was recorded, or in words the reason that there was none; `None` if no
    /// person was asked.
    pub fn recorded_input(&self) -> Option<Result<String, String>> {
        self.replay()?.typed()
    }

    /// Records what a person typed in this turn, or in words why there is nothing.
    pub fn record_input(&self, typed: &Result<String, String>) {
        if let Some(recorder) = self.recorder() {
            recorder.typed(typed.clone());
        }
    }

    /// Whether something is done outside, and cleaned up afterwards: a replay does nothing.
    pub fn is_live(&self) -> bool {
        self.replay().is_none()
    }

    /// The attempt was held up for so long, which is no time of it.
    pub fn wait(&mut self, waited: Duration) {
        self.started = self.started.plus(waited);
        if let Some(recorder) = self.recorder() {
            recorder.wait(waited);
        }
    }

    /// The moment at which the attempt started.
    pub fn started(&self) -> At {
        self.started
    }

    /// The reason that a recording could not be replayed any further.
    pub fn error(&self) -> Option<Problem> {
        self.replay()?.error()
    }

    /// A warning if a recording is not as it was written, and one if it contains more than was used of it by a
    /// conversation that `is_whole`.
    pub fn warnings(&self, is_whole: impl FnOnce() -> bool) -> Vec<String> {
        let Some(replay) = self.replay() else {
            return Vec::new();
        };
        replay
            .edited()
            .into_iter()
            .chain(replay.unused().filter(|_| is_whole()))
            .collect()
    }

    /// A replay of what was just recorded, before it is kept, to verify it; `None` if there are no secrets, without which
    /// it replays as it was.
    ///
    /// # Errors
    /// If it must not be kept.
    pub fn verification(
        &self,
        ended_unix_ms: u64,
        context: &Context,
    ) -> Result<Option<Self>, Problem> {
        let EnvironmentSource::Recorded(recorder, Some(recordings)) = &self.source else {
            return Ok(None);
        };
        let replay = recorder.verification(recordings, ended_unix_ms)?;
        Ok(replay.map(|replay| Self::replayed(replay, context, self.redactor.clone())))
    }

    /// The text of the recording of an attempt that is recorded in memory, which ended at `ended_unix_ms`, in milliseconds
    /// since the Unix epoch; `None` if it is not.
    ///
    /// # Errors
    /// If it would contain a secret.
    pub fn text_in_memory(&self, ended_unix_ms: u64) -> Result<Option<String>, Problem> {
        match &self.source {
            EnvironmentSource::Recorded(recorder, None) => recorder.text(ended_unix_ms).map(Some),
            _ => Ok(None),
        }
    }

    /// The recording of the live attempt, which ended at `ended_unix_ms`, in milliseconds since the Unix epoch.
    pub fn recorded_attempt(&self, ended_unix_ms: u64) -> Option<RecordedAttempt> {
        let recorder = self.recorder().filter(|_| self.is_live())?;
        Some(RecordedAttempt::new(recorder.clone(), ended_unix_ms))
    }

    /// `text` as the recording of this attempt has it, with markers instead of secrets; unchanged if there is none.
    pub fn marked(&self, text: &str) -> String {
        self.recorder()
            .map_or_else(|| text.to_owned(), |recorder| recorder.marked(text))
    }

    /// Writes what was recorded of the attempt, which ended at `ended_unix_ms`, in milliseconds since the Unix epoch.
    /// Returns the file that was written or replayed, as shown in messages.
    ///
    /// # Errors
    /// If it cannot be written, or would contain a secret.
    pub fn keep(&self, ended_unix_ms: u64) -> Result<Option<String>, Problem> {
        match &self.source {
            EnvironmentSource::Live
            | EnvironmentSource::Recorded(_, None)
            | EnvironmentSource::Stored(_) => Ok(None),
            EnvironmentSource::Recorded(recorder, Some(recordings)) => {
                recorder.keep(recordings, ended_unix_ms).map(Some)
            }
            EnvironmentSource::Replayed(replay) => Ok(Some(replay.file().to_owned())),
            EnvironmentSource::Copied(_, recorder, kept) => {
                kept.set_copy(recorder.text(ended_unix_ms)?);
                Ok(None)
            }
        }
    }
}

/// The part of a result that a recording keeps: not that the run was stopped.
fn to_record<T: Clone>(gave: &Result<T, Halt>) -> Option<Result<T, Problem>> {
    match gave {
        Ok(value) => Some(Ok(value.clone())),
        Err(Halt::Broken(problem)) => Some(Err(problem.clone())),
        Err(Halt::Stopped | Halt::Skipped(..)) => None,
    }
}
