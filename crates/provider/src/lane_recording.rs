//! The recorded calls of a lane: those that answer it, and those that are recorded now.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use indexmap::IndexMap;
use regex::Regex;
use serde_json::json;

use crate::adopted_response::{adopted_response, round_of_answer, with_ids_of_provider};
use crate::compared_request::ComparedRequest;
use crate::environment::POINTING_HELP;
use crate::lane_request::{LaneAnswer, LaneRequest};
use crate::matching::last_user_text;
use crate::mint::Mint;
use crate::model_recording::{ModelRecording, RecordedModelCall};
use crate::problem::{ModelProblem, ModelProblemKind};
use crate::recorded::{
    LaneValues, NOT_RECORDED, PathRecordings, RecordedTime, frames_of, masked, micros,
    offered_patterns, other_form, other_params, params_of,
};
use crate::request_difference::{RequestDifference, first_difference};
use crate::upstream::{Upstream, Upstreams};
use ananke_agents::{ServedResponse, model_wires};
use ananke_base::context::{At, Clock};
use ananke_base::text::{escape, truncate};
use ananke_model::model::ModelPace;
use ananke_trace::trace::{AnsweredBy, ModelAnswer, ModelRequest};

/// The most recorded calls that a message lists.
const SHOWN_CALLS: usize = 3;

/// The most characters of a message of the user that a list shows.
const SHOWN_CHARS: usize = 80;

/// The use of recordings by a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordingUse {
    /// Answers of recorded calls alone.
    Replay,
    /// The provider answers, and its answers are recorded.
    Record,
    /// The provider answers what is not recorded yet.
    RecordMissing,
    /// The provider answers, and nothing is recorded.
    Live,
}

/// The recordings of a lane, and how they are used.
#[derive(Clone)]
pub struct RecordingSetup {
    /// The use that the run makes of recorded answers.
    pub usage: RecordingUse,
    /// The file.
    pub path: PathBuf,
    /// The file as messages name it.
    pub shown: String,
    /// The content of the file; `None` if there is no file.
    pub recording: Option<ModelRecording>,
    /// The command that records the calls again.
    pub again: String,
    /// The texts that are not compared.
    pub ignore: Vec<Regex>,
    /// The key of `ignore` in the config; `None` if there is none.
    pub ignore_key: Option<String>,
    /// Whether other parameters of sampling make another request.
    pub strict_params: bool,
    /// Whether recorded calls that were not asked for are a warning.
    pub is_loose: bool,
    /// The pace of recorded answers.
    pub pace: ModelPace,
    /// The providers that may be asked.
    pub upstreams: Upstreams,
    /// The clock of arrivals.
    pub clock: Arc<dyn Clock>,
    /// The time of the calls of all lanes of the attempt.
    pub time: Arc<RecordedTime>,
    /// Secrets that are masked wherever they are.
    pub secrets: Vec<String>,
}

/// The state of the recordings of a lane.
pub(crate) struct LaneRecording {
    pub(crate) setup: RecordingSetup,
    earlier: Vec<EarlierCall>,
    /// The kinds of warnings that were given: each comes once.
    warned: Vec<ModelProblemKind>,
    /// The calls that are recorded, in the order in which they were asked.
    recorded: Vec<Option<RecordedModelCall>>,
    /// The requests that the provider has not answered, by their fingerprints.
    pub(crate) unanswered: Vec<String>,
    /// The reason why the last of them has no answer.
    failure: String,
    /// The number of calls that the provider answered.
    pub(crate) live: usize,
    /// The recorded calls and requests in which keys are masked, with their numbers.
    pub(crate) masked: Vec<String>,
    /// The number of calls and requests that were written to the file, in words.
    written: Option<String>,
    /// The requests that are no calls.
    pub(crate) paths: PathRecordings,
    /// The ids of the lane, each with the one that the provider has made.
    ids: IndexMap<String, String>,
    /// The variables of the test that are known so far.
    pub(crate) values: LaneValues,
}

/// A call that was recorded earlier.
struct EarlierCall {
    call: RecordedModelCall,
    compared: ComparedRequest,
    is_used: bool,
}

/// The source of the answer to a request.
pub(crate) enum RecordedStep {
    /// A recorded call.
    Recorded(Box<RecordedAnswer>),
    /// The provider.
    Live(LiveCall),
}

/// The answer of a recorded call.
pub(crate) struct RecordedAnswer {
    pub(crate) answer: LaneAnswer,
    /// The waiting that passes with it.
    pub(crate) passed: Duration,
    pub(crate) warnings: Vec<ModelProblem>,
}

/// A request on its way to the provider.
pub(crate) struct LiveCall {
    /// The place of the call among those that are recorded.
    pub(crate) place: usize,
    pub(crate) upstream: Arc<Upstream>,
    pub(crate) clock: Arc<dyn Clock>,
    /// The body with the ids that the provider has made.
    pub(crate) body: Bytes,
    pub(crate) asked_at: At,
    /// The same in microseconds after the first request of the attempt.
    pub(crate) at_us: u64,
}

impl std::fmt::Debug for LaneRecording {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = &self.setup.shown;
        formatter.debug_tuple("LaneRecording").field(shown).finish()
    }
}

impl LaneRecording {
    pub(crate) fn new(mut setup: RecordingSetup) -> Self {
        let mut earlier = Vec::new();
        let is_read = matches!(
            setup.usage,
            RecordingUse::Replay | RecordingUse::RecordMissing
        );
        let mut paths = PathRecordings::default();
        if is_read && let Some(recording) = &mut setup.recording {
            paths = PathRecordings::new(std::mem::take(&mut recording.requests));
            for call in std::mem::take(&mut recording.calls) {
                earlier.push(EarlierCall {
                    compared: ComparedRequest::of(&call.request, &setup.ignore),
                    call,
                    is_used: false,
                });
            }
        }
        Self {
            setup,
            earlier,
            warned: Vec::new(),
            recorded: Vec::new(),
            unanswered: Vec::new(),
            failure: String::new(),
            live: 0,
            masked: Vec::new(),
            written: None,
            ids: IndexMap::new(),
            values: LaneValues::default(),
            paths,
        }
    }

    /// Notes the variables of the test that are known from now on, each with its value.
    pub(crate) fn set_values(&mut self, variables: &[(String, String)]) {
        self.values = LaneValues::new(variables);
    }

    /// The source of the answer to call `number` of the lane `lane`.
    ///
    /// # Errors
    /// If nothing is recorded for it and nothing may be asked.
    pub(crate) fn step(
        &mut self,
        asked: &LaneRequest<'_>,
        lane: &str,
        number: u64,
        mint: &mut Mint,
    ) -> Result<RecordedStep, ModelProblem> {
        // A recorded answer comes first, because only what is missing is asked of a provider.
        let request = self.values.put_back_request(asked.request);
        let compared = ComparedRequest::of(&request, &self.setup.ignore);
        if let Some(place) = self.place_of(&compared, asked) {
            let answer = self.replay(place, asked, mint);
            return Ok(RecordedStep::Recorded(Box::new(answer)));
        }
        if self.setup.usage == RecordingUse::Replay {
            return Err(self.miss(&compared, asked, lane, number));
        }
        let upstream = self.upstream(asked.provider, asked.api)?;
        self.recorded.push(None);
        self.unanswered.push(asked.fingerprint.clone());
        let place = self.recorded.len() - 1;
        Ok(RecordedStep::Live(
            self.live_call(place, upstream, asked.body),
        ))
    }

    /// The upstream of this provider, which may be asked while recordings are made.
    pub(crate) fn upstream(
        &self,
        provider: &str,
        asked: &str,
    ) -> Result<Arc<Upstream>, ModelProblem> {
        self.setup.upstreams.get(provider).ok_or_else(|| {
            let message = format!("there is no `upstream` for {asked}");
            let help = format!("add `upstream: {{ {provider}: URL }}` to the model");
            ModelProblem::new(ModelProblemKind::Upstream, message).help(help)
        })
    }

    /// The time of a recorded answer on the clock of the test, or the time that it takes in fact.
    pub(crate) fn waiting(&self, at_us: u64, took_us: u64) -> (Duration, Option<Duration>) {
        match self.setup.pace {
            ModelPace::None => (self.setup.time.pass(at_us, took_us), None),
            ModelPace::Recorded => (Duration::ZERO, Some(Duration::from_micros(took_us))),
        }
    }

    /// The first recorded call that asks the same and is not used. So overlapping calls need no order.
    fn place_of(&self, compared: &ComparedRequest, asked: &LaneRequest<'_>) -> Option<usize> {
        self.earlier.iter().position(|earlier| {
            !earlier.is_used
                && earlier.compared.key == compared.key
                && (!self.setup.strict_params
                    || earlier.call.request.params == asked.request.params)
        })
    }

    /// The answer of the recorded call at this place.
    fn replay(&mut self, place: usize, asked: &LaneRequest<'_>, mint: &mut Mint) -> RecordedAnswer {
        // Each recorded call answers once, because a loop that asks the same again must not pass for ever.
        self.earlier[place].is_used = true;
        let call = self.earlier[place].call.clone();
        let mut warnings = Vec::new();
        if call.request.params != asked.request.params && self.warns_first(ModelProblemKind::Params)
        {
            warnings.push(other_params(place, &call, asked));
        }
        let is_same_form = call.path == asked.path && call.is_streamed == asked.is_streamed;
        if !is_same_form && self.warns_first(ModelProblemKind::OtherForm) {
            warnings.push(other_form(place, &call, asked));
        }
        let adopted = adopted_response(&self.values.filled(&call), mint);
        self.ids.extend(adopted.ids);
        let recorded = if is_same_form { adopted.response } else { None };
        let (passed, takes) = self.waiting(call.at_us, call.took_us);
        if self.setup.usage == RecordingUse::RecordMissing {
            self.recorded.push(Some(call));
        }
        RecordedAnswer {
            answer: LaneAnswer {
                id: adopted.id,
                round: Arc::new(round_of_answer(&adopted.answer)),
                answer: adopted.answer,
                answered_by: AnsweredBy::Recording(place + 1),
                recorded: recorded.map(Arc::new),
                takes,
            },
            passed,
            warnings,
        }
    }

    /// Whether no warning of this kind was given before: one is enough for a reader.
    fn warns_first(&mut self, kind: ModelProblemKind) -> bool {
        if self.warned.contains(&kind) {
            return false;
        }
        self.warned.push(kind);
        true
    }

    /// The request on its way to the provider that is recorded at `place`.
    pub(crate) fn live_call(&self, place: usize, upstream: Arc<Upstream>, body: &[u8]) -> LiveCall {
        let clock = Arc::clone(&self.setup.clock);
        let asked_at = clock.now();
        LiveCall {
            place,
            upstream,
            body: match std::str::from_utf8(body) {
                Ok(text) => Bytes::from(with_ids_of_provider(text, &self.ids)),
                Err(_) => Bytes::copy_from_slice(body),
            },
            clock,
            asked_at,
            at_us: self.setup.time.since_first(asked_at),
        }
    }

    /// Notes that the provider has not answered a request, for this reason.
    pub(crate) fn fail(&mut self, reason: &str) {
        reason.clone_into(&mut self.failure);
    }

    /// Keeps an answer of the provider, and returns it as the lane gives it.
    pub(crate) fn keep(
        &mut self,
        asked: &LaneRequest<'_>,
        live: &LiveCall,
        response: &ServedResponse,
        answer: ModelAnswer,
        mint: &mut Mint,
    ) -> LaneAnswer {
        self.unanswered.retain(|open| *open != asked.fingerprint);
        self.live += 1;
        let call = RecordedModelCall {
            path: asked.path.to_owned(),
            api_version: asked.api_version.clone(),
            is_streamed: asked.is_streamed,
            request: asked.request.clone(),
            answer,
            at_us: live.at_us,
            took_us: micros(live.clock.now().since(live.asked_at)),
            content_type: response.content_type().to_owned(),
            frames: frames_of(response),
        };
        let adopted = adopted_response(&call, mint);
        self.ids.extend(adopted.ids);
        if self.setup.usage != RecordingUse::Live {
            let call = self.values.put_back(call, read_answer);
            let (call, has_secret) = masked(call, &self.setup.secrets);
            if has_secret {
                self.masked.push(format!("call {}", live.place + 1));
            }
            // Such an answer is dropped, because it may come after the lane is closed.
            if let Some(place) = self.recorded.get_mut(live.place) {
                *place = Some(call);
            }
        }
        LaneAnswer {
            id: adopted.id,
            round: Arc::new(round_of_answer(&adopted.answer)),
            answer: adopted.answer,
            answered_by: AnsweredBy::Live,
            recorded: adopted.response.map(Arc::new),
            takes: None,
        }
    }

    /// The problem at the end of a lane with this number of calls: recorded calls that were not asked for, or requests that the
    /// provider did not answer.
    pub(crate) fn problem_at_end(&self, calls: u64) -> Option<ModelProblem> {
        if !self.unanswered.is_empty() {
            let count = self.unanswered.len();
            let requests = if count == 1 { "request" } else { "requests" };
            let message = format!("the provider did not answer {count} {requests} of the agent");
            let problem = ModelProblem::new(ModelProblemKind::Upstream, message);
            return Some(problem.fact(escape::line(&self.failure).into_owned()));
        }
        if self.setup.usage != RecordingUse::Replay {
            return None;
        }
        let mut unused = Vec::new();
        for (number, earlier) in (1..).zip(&self.earlier) {
            if !earlier.is_used {
                let request = &earlier.call.request;
                let text = truncate::chars(last_user_text(request), SHOWN_CHARS);
                unused.push(format!("call {number}: {}, user {text:?}", request.model));
            }
        }
        unused.extend(self.paths.unused());
        if unused.is_empty() {
            return None;
        }
        let all = self.earlier.len() + self.paths.len();
        let never_asked = calls == 0 && !self.paths.is_any_used();
        let kind = if self.paths.len() == 0 {
            "calls"
        } else {
            "requests"
        };
        let message = match unused.len() {
            _ if never_asked => "the agent never asked its model, which has recordings".to_owned(),
            1 => format!("1 of {all} recorded {kind} was not asked for"),
            count => format!("{count} of {all} recorded {kind} were not asked for"),
        };
        let mut problem = ModelProblem::new(ModelProblemKind::UnusedRecording, message);
        if self.setup.is_loose {
            problem = problem.into_warning();
        }
        problem = problem.fact(format!("recording: {}", self.setup.shown));
        for line in unused.into_iter().take(SHOWN_CALLS) {
            problem = problem.fact(line);
        }
        if never_asked {
            return Some(problem.help(POINTING_HELP));
        }
        Some(problem.help(self.help()))
    }

    /// Writes what was recorded, and returns what is worth knowing of it. It is called once, at the end of a lane without problems.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(crate) fn write(&mut self, lane: &str) -> Result<Vec<ModelProblem>, ModelProblem> {
        let records = matches!(
            self.setup.usage,
            RecordingUse::Record | RecordingUse::RecordMissing
        );
        // Nothing is written, because people have committed the file and nothing in it is new.
        if !records || self.live == 0 {
            return Ok(Vec::new());
        }
        let mut recording = ModelRecording {
            lane: lane.to_owned(),
            calls: Vec::new(),
            requests: self.paths.take_recorded(),
        };
        for call in std::mem::take(&mut self.recorded) {
            recording.calls.extend(call);
        }
        let shown = &self.setup.shown;
        recording.write(&self.setup.path).map_err(|error| {
            let why = ananke_base::source::reason(&error);
            let message = format!("the recording `{shown}` cannot be written: {why}");
            ModelProblem::new(ModelProblemKind::Recording, message)
        })?;
        // Requests that are no calls are counted together with them, because one line has room for one number.
        let all = recording.calls.len() + recording.requests.len();
        let noun = if recording.requests.is_empty() {
            "call"
        } else {
            "request"
        };
        self.written = Some(match all {
            1 => format!("1 {noun} is"),
            _ => format!("{all} {noun}s are"),
        });
        let mut warnings = Vec::new();
        for number in &self.masked {
            let message = format!("{number} had a provider's key, which is masked in `{shown}`");
            let problem = ModelProblem::new(ModelProblemKind::RecordedSecret, message);
            warnings.push(problem.help("find out how the key came into a prompt or an answer"));
        }
        Ok(warnings)
    }

    /// A sentence about the file that was written; `None` if none was.
    pub(crate) fn written(&self) -> Option<String> {
        let written = self.written.as_ref()?;
        Some(format!("{written} recorded in {}", self.setup.shown))
    }

    /// The error that names what differs from the nearest recorded call.
    fn miss(
        &self,
        compared: &ComparedRequest,
        asked: &LaneRequest<'_>,
        lane: &str,
        number: u64,
    ) -> ModelProblem {
        // The message has nothing of the test in it, because problems of one cause are counted together.
        let lane = escape::line(lane);
        let model = escape::line(&asked.request.model);
        let call = format!("call {number} of `{lane}`, {}, {model}", asked.api);
        if self.setup.recording.is_none() {
            return self.no_recording(call);
        }
        let Some((place, difference)) = self.nearest(compared, asked) else {
            let message = format!("{NOT_RECORDED}: {}", self.why_no_place(compared));
            let problem = ModelProblem::new(ModelProblemKind::Miss, message);
            return problem.fact(call).help(self.help());
        };
        let mut help = self.help();
        let recorded = &self.earlier[place].compared.request;
        if let Some(offer) = self.ignore_offer(recorded, &compared.request) {
            help.push('\n');
            help.push_str(&offer);
        }
        let message = format!("{NOT_RECORDED}: {}", difference.cause);
        let label = format!("expected (call {} of the recording): ", place + 1);
        let width = label.len();
        ModelProblem::new(ModelProblemKind::Stale, message)
            .fact(call)
            .fact(format!("{label}{}", difference.expected))
            .fact(format!("{:width$}{}", "asked: ", difference.asked))
            .help(help)
    }

    /// The error of a request for which there is no file.
    pub(crate) fn no_recording(&self, asked: String) -> ModelProblem {
        ModelProblem::new(ModelProblemKind::Miss, "there is no recording")
            .fact(asked)
            .fact(format!("looked for {}", self.setup.shown))
            .help(format!("record it: {}", self.setup.again))
    }

    /// The line of the config with which two requests would be the same, if only dates and the like differ.
    fn ignore_offer(&self, recorded: &ModelRequest, asked: &ModelRequest) -> Option<String> {
        let key = self.setup.ignore_key.as_ref()?;
        let offered = offered_patterns(recorded, asked);
        if offered.is_empty() {
            return None;
        }
        // The line replaces the one that is there.
        let mut patterns = Vec::new();
        for pattern in &self.setup.ignore {
            patterns.push(json!(pattern.as_str()).to_string());
        }
        for pattern in offered {
            patterns.push(json!(pattern).to_string());
        }
        let patterns = escape::line(&patterns.join(", ")).into_owned();
        Some(format!("if it varies: {key}: [{patterns}]"))
    }

    /// The first unused call in the same place of the conversation, and how it differs. There is one place, so that nothing is
    /// guessed.
    fn nearest(
        &self,
        compared: &ComparedRequest,
        asked: &LaneRequest<'_>,
    ) -> Option<(usize, RequestDifference)> {
        let place = compared.place();
        for (number, earlier) in self.earlier.iter().enumerate() {
            if earlier.is_used || earlier.compared.place() != place {
                continue;
            }
            if let Some(difference) = first_difference(&earlier.compared, compared) {
                return Some((number, difference));
            }
            // Nothing else differs, so that the parameters do, and they count.
            let difference = RequestDifference {
                cause: "the parameters of sampling differ, and `strict_params` is on".to_owned(),
                expected: params_of(&earlier.call.request.params),
                asked: params_of(&asked.request.params),
            };
            return Some((number, difference));
        }
        None
    }

    /// The fact about a request to which no unused call belongs.
    fn why_no_place(&self, compared: &ComparedRequest) -> String {
        let mut same = 0;
        for earlier in &self.earlier {
            if earlier.compared.key == compared.key {
                same += 1;
            }
        }
        let count = self.earlier.len();
        match same {
            0 => {
                let (calls, results) = compared.place();
                format!(
                    "none of the {count} recorded calls is left for a conversation with {calls} calls and {results} results"
                )
            }
            1 => "the same request is recorded once, and was answered".to_owned(),
            _ => format!("the same request is recorded {same} times, and was answered each time"),
        }
    }

    pub(crate) fn help(&self) -> String {
        format!("if that is meant: {}", self.setup.again)
    }
}

/// The answer in a response of the API with this end of a path; `None` if it is not a whole one.
fn read_answer(path: &str, response: ServedResponse) -> Option<ModelAnswer> {
    for wire in model_wires() {
        if wire.path() == path {
            return wire.read_answer(response).ok();
        }
    }
    None
}
