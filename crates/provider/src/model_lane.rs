//! A lane: the script or the recordings of one test, what it has answered so far, and what went wrong in it.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::compiled_script::{
    CompiledModelReply, CompiledModelScript, CompiledModelStep, start_patterns,
};
use crate::environment::POINTING_HELP;
use crate::lane_paths::{LivePathRequest, PathRequestStep};
use crate::lane_recording::{LaneRecording, LiveCall, RecordedStep, RecordingSetup};
use crate::lane_request::{LaneAnswer, LaneRequest};
use crate::matching::{AskedRequest, last_user_text, matching_rule, new_results};
use crate::mint::Mint;
use crate::problem::{ModelProblem, ModelProblemKind};
use crate::recorded::PathRequest;
use crate::round_answer::round_answer;
use ananke_agents::ServedResponse;
use ananke_base::context::lock;
use ananke_base::text::truncate;
use ananke_model::model::EmbeddingAnswers;
use ananke_trace::trace::{AnsweredBy, AskedAgain, ModelAnswer, ModelCall, ModelRequest, ModelUse};

/// The most characters of a message or a result that a problem shows.
const SHOWN_CHARS: usize = 200;

/// The most answers that a message lists.
const SHOWN_ANSWERS: usize = 3;

/// The most problems of a lane that are kept. An agent in a loop would make any number.
const MOST_PROBLEMS: usize = 20;

/// The number of answers that are remembered for attempts of the same request.
const MOST_ANSWERS: usize = 64;

/// The calls of one test, or of one name.
#[derive(Debug)]
pub struct ModelLane {
    name: String,
    /// The letters that its ids have.
    letters: String,
    /// The key of the model in `models`.
    model: String,
    state: Mutex<LaneState>,
}

/// The happenings in a lane since they were last taken.
#[derive(Debug, Default)]
pub struct LaneUse {
    /// The calls, and the time that they took.
    pub used: ModelUse,
    /// The problems: the first of the lane.
    pub problems: Vec<ModelProblem>,
    /// The number of further problems, which are not kept.
    pub more_problems: usize,
    /// The problems that fail no test.
    pub warnings: Vec<ModelProblem>,
}

/// The source of the answers of a lane.
pub enum LaneSource {
    /// Answers that people have written.
    Script(Box<CompiledModelScript>),
    /// Recordings, or the provider that they are made from.
    Recordings(Box<RecordingSetup>),
}

impl From<CompiledModelScript> for LaneSource {
    fn from(script: CompiledModelScript) -> Self {
        Self::Script(Box::new(script))
    }
}

#[derive(Debug)]
struct LaneState {
    /// The script; empty in a lane with recordings.
    script: CompiledModelScript,
    recording: Option<LaneRecording>,
    mint: Mint,
    /// The number of replies that were used.
    used_replies: usize,
    /// One flag for each rule: those that answered something.
    used_rules: Vec<bool>,
    /// The number of calls so far. Attempts of one call count once.
    calls: u64,
    /// The number of calls that were answered.
    answered: usize,
    /// The last answers, for attempts of the same request.
    answers: VecDeque<GivenAnswer>,
    since_taken: LaneUse,
    problems: usize,
    embeddings: u64,
    /// The message of the user in the turn that is going on; `None` between turns.
    turn: Option<String>,
}

/// The reply to a request.
pub(crate) enum LaneReply {
    /// An answer for which no provider has to be asked.
    Answer(LaneAnswer),
    /// The provider has to be asked.
    Live(LiveCall),
}

/// An answer that was given to a request with this fingerprint.
#[derive(Debug)]
struct GivenAnswer {
    fingerprint: String,
    /// The number of the call among those that were answered, counted from 1.
    call: usize,
    answer: LaneAnswer,
}

impl ModelLane {
    /// A lane of this name, of the model `model`, whose answers come from `source`. `letters` are its own alone.
    ///
    /// # Errors
    /// If a pattern of the script cannot be compiled.
    pub fn new(
        name: &str,
        model: &str,
        letters: String,
        source: impl Into<LaneSource>,
    ) -> Result<Self, regex::Error> {
        // A lane with recordings has an empty script, so that its replies and rules answer nothing.
        let mut recording = None;
        let mut script = match source.into() {
            LaneSource::Script(script) => *script,
            LaneSource::Recordings(setup) => {
                recording = Some(LaneRecording::new(*setup));
                CompiledModelScript::default()
            }
        };
        start_patterns(&mut script)?;
        let used_rules = vec![false; script.rules.len()];
        Ok(Self {
            name: name.to_owned(),
            letters: letters.clone(),
            model: model.to_owned(),
            state: Mutex::new(LaneState {
                script,
                recording,
                mint: Mint::new(letters),
                used_replies: 0,
                used_rules,
                calls: 0,
                answered: 0,
                answers: VecDeque::new(),
                since_taken: LaneUse::default(),
                problems: 0,
                embeddings: 0,
                turn: None,
            }),
        })
    }

    /// The id of the test, or the name in the URL.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The letters that ids of it have.
    pub(crate) fn letters(&self) -> &str {
        &self.letters
    }

    /// The happenings since the last time.
    pub fn take(&self) -> LaneUse {
        std::mem::take(&mut self.state().since_taken)
    }

    /// Whether something went wrong in it.
    pub fn has_problem(&self) -> bool {
        self.state().problems > 0
    }

    /// Notes the variables of the test whose values differ from run to run, each with its value: recordings have their names.
    pub fn set_values(&self, variables: &[(String, String)]) {
        if let Some(recording) = &mut self.state().recording {
            recording.set_values(variables);
        }
    }

    /// The message of the user in the turn that is going on; `None` between turns.
    pub(crate) fn turn_text(&self) -> Option<String> {
        self.state().turn.clone()
    }

    /// Notes the message of the user in a turn, or the end of it.
    pub(crate) fn set_turn(&self, text: Option<String>) {
        self.state().turn = text;
    }

    /// Whether a rule of its script matches a request: it answers without a reply.
    pub(crate) fn has_rule_for(&self, asked: &LaneRequest<'_>) -> bool {
        let state = self.state();
        let seen = AskedRequest {
            call: state.calls + 1,
            path: asked.path,
            request: asked.request,
        };
        matching_rule(&state.script.rules, &seen).is_some()
    }

    /// The number of requests for embeddings that were answered.
    pub fn embeddings(&self) -> u64 {
        self.state().embeddings
    }

    /// Reports the replies, rules and recorded calls that had to be used and were not, and writes what was recorded. It is called
    /// once, at the end.
    pub fn finish(&self) {
        let mut state = self.state();
        // Nothing more is reported after another problem, because the agent need not have come as far as to ask for the rest.
        if state.problems > 0 {
            return;
        }
        let mut problems = state.unused();
        if let Some(recording) = &state.recording {
            problems.extend(recording.problem_at_end(state.calls));
        }
        for problem in problems {
            state.add_problem(problem);
        }
        drop(state);
        self.write_recording();
    }

    /// Adds a problem that was found outside of the script.
    pub(crate) fn add_problem(&self, problem: ModelProblem) {
        self.state().add_problem(problem);
    }

    /// Counts a request for embeddings.
    ///
    /// # Errors
    /// If the script forbids it.
    pub(crate) fn embed(&self) -> Result<(), ModelProblem> {
        let mut state = self.state();
        state.embeddings += 1;
        if state.script.embeddings == EmbeddingAnswers::Hash {
            return Ok(());
        }
        let message = "the agent asked for embeddings, and the script does not allow it";
        let problem = ModelProblem::new(ModelProblemKind::Miss, message)
            .help("remove `embeddings: miss`, and each text gets a vector made from its hash");
        state.add_problem(problem.clone());
        Err(problem)
    }

    /// Writes what was recorded, whatever the test makes of the answers. A lane with a problem is not worth a recording.
    pub fn write_recording(&self) {
        let mut state = self.state();
        if state.problems > 0 {
            return;
        }
        let Some(recording) = &mut state.recording else {
            return;
        };
        match recording.write(&self.name) {
            Ok(warnings) => state.since_taken.warnings.extend(warnings),
            Err(problem) => state.add_problem(problem),
        }
    }

    /// A sentence about what was recorded; `None` if nothing was.
    pub fn recorded(&self) -> Option<String> {
        self.state().recording.as_ref()?.written()
    }

    /// The answer to a request.
    ///
    /// # Errors
    /// If nothing answers it, which is a problem of the test as well.
    pub(crate) fn answer(&self, asked: &LaneRequest<'_>) -> Result<LaneReply, ModelProblem> {
        let mut state = self.state();
        // A client that sends a request again has not seen its answer, or did not like it. It gets the same one, and uses no
        // reply.
        if asked.is_repeated
            && let Some(answer) = state.give_again(&self.model, &asked.fingerprint)
        {
            return Ok(LaneReply::Answer(answer));
        }
        match state.new_reply(asked, &self.name) {
            Ok(LaneReply::Answer(answer)) => {
                state.remember(&self.model, asked, &answer);
                Ok(LaneReply::Answer(answer))
            }
            Ok(live) => Ok(live),
            Err(problem) => {
                state.add_problem(problem.clone());
                Err(problem)
            }
        }
    }

    /// Keeps an answer of the provider, and returns it as the agent gets it.
    pub(crate) fn keep(
        &self,
        asked: &LaneRequest<'_>,
        live: &LiveCall,
        response: &ServedResponse,
        answer: ModelAnswer,
    ) -> Option<LaneAnswer> {
        let mut state = self.state();
        let LaneState {
            recording, mint, ..
        } = &mut *state;
        let kept = recording
            .as_mut()?
            .keep(asked, live, response, answer, mint);
        state.remember(&self.model, asked, &kept);
        Some(kept)
    }

    /// Whether its answers come from recordings or from the provider.
    pub(crate) fn has_recordings(&self) -> bool {
        self.state().recording.is_some()
    }

    /// The source of the response to a request that is no call; `None` in a lane with a script.
    ///
    /// # Errors
    /// If nothing answers it, which is a problem of the test as well.
    pub(crate) fn path_step(
        &self,
        asked: &PathRequest<'_>,
    ) -> Result<Option<PathRequestStep>, ModelProblem> {
        let mut state = self.state();
        let Some(recording) = &mut state.recording else {
            return Ok(None);
        };
        match recording.path_step(asked, &self.name) {
            Ok((step, passed)) => {
                state.since_taken.used.passed += passed;
                Ok(Some(step))
            }
            Err(problem) => {
                state.add_problem(problem.clone());
                Err(problem)
            }
        }
    }

    /// Keeps the response of the provider to a request that is no call.
    pub(crate) fn keep_path(&self, asked: &LivePathRequest, response: &ServedResponse) {
        if let Some(recording) = &mut self.state().recording {
            recording.keep_path(asked, response);
        }
    }

    /// Notes the reason why the provider has not answered a request. It is a problem unless the request is answered later.
    pub(crate) fn fail(&self, reason: &str) {
        if let Some(recording) = &mut self.state().recording {
            recording.fail(reason);
        }
    }

    fn state(&self) -> MutexGuard<'_, LaneState> {
        lock(&self.state)
    }
}

impl LaneState {
    /// The reply to a request that is no further attempt: that of the recordings, or of the script.
    fn new_reply(
        &mut self,
        asked: &LaneRequest<'_>,
        lane: &str,
    ) -> Result<LaneReply, ModelProblem> {
        self.calls += 1;
        let Some(recording) = &mut self.recording else {
            return Ok(LaneReply::Answer(self.next_answer(asked)?));
        };
        match recording.step(asked, lane, self.calls, &mut self.mint)? {
            RecordedStep::Recorded(recorded) => {
                self.since_taken.used.passed += recorded.passed;
                self.since_taken.warnings.extend(recorded.warnings);
                Ok(LaneReply::Answer(recorded.answer))
            }
            RecordedStep::Live(call) => Ok(LaneReply::Live(call)),
        }
    }

    /// The next answer of the script: that of a rule that matches, which uses no reply, or the next reply.
    fn next_answer(&mut self, asked: &LaneRequest<'_>) -> Result<LaneAnswer, ModelProblem> {
        let seen = AskedRequest {
            call: self.calls,
            path: asked.path,
            request: asked.request,
        };
        let (reply, answered_by) = match matching_rule(&self.script.rules, &seen) {
            Some((place, rule)) => {
                self.used_rules[place] = true;
                (&rule.reply, AnsweredBy::Rule(place + 1))
            }
            None => match self.script.replies.get(self.used_replies) {
                Some(reply) => {
                    self.used_replies += 1;
                    (reply, AnsweredBy::Reply(self.used_replies))
                }
                None => return Err(self.miss(asked)),
            },
        };
        let made = match round_answer(reply, asked.request, &mut self.mint) {
            Ok(made) => made,
            Err(problem) => {
                let place = format!("{}:{}", reply.place.file, reply.place.line);
                return Err(problem.fact(format!("the answer is written at {place}")));
            }
        };
        self.since_taken.used.passed += made.delay;
        Ok(LaneAnswer {
            id: self.mint.response(),
            round: Arc::new(made.round),
            answer: made.answer,
            answered_by,
            recorded: None,
            takes: None,
        })
    }

    /// The problem of a request that nothing answers.
    fn miss(&self, asked: &LaneRequest<'_>) -> ModelProblem {
        let replies = self.script.replies.len();
        let number = self.calls;
        let message = match (replies, self.script.rules.len()) {
            (0, 0) => {
                format!("call {number} to the model has no answer: there is no script for it")
            }
            (0, _) => format!("no rule answers call {number} to the model"),
            (1, 0) => format!("call {number} to the model has no reply: the script has 1 reply"),
            (_, 0) => {
                format!("call {number} to the model has no reply: the script has {replies} replies")
            }
            _ => format!(
                "call {number} to the model has no reply: no rule matches, and all {replies} replies are used"
            ),
        };
        let problem = ModelProblem::new(ModelProblemKind::Miss, message);
        let problem = with_request(problem, asked.request, asked.api);
        problem.help(
            "add a reply or a rule for this request, or find out why the agent asks once more",
        )
    }

    /// The problems of what had to be used and was not.
    fn unused(&self) -> Vec<ModelProblem> {
        let mut unused = Vec::new();
        let replies = &self.script.replies;
        for (place, reply) in replies.iter().enumerate().skip(self.used_replies) {
            if !reply.is_optional {
                unused.push((format!("reply {} of {}", place + 1, replies.len()), reply));
            }
        }
        let rules = &self.script.rules;
        for (place, rule) in rules.iter().enumerate() {
            if !self.used_rules[place] && !rule.reply.is_optional {
                unused.push((
                    format!("rule {} of {}", place + 1, rules.len()),
                    &rule.reply,
                ));
            }
        }
        if unused.is_empty() {
            return Vec::new();
        }
        // One problem is enough, because an agent that is not pointed at the server is one mistake.
        if self.calls == 0 {
            return vec![never_asked(&unused)];
        }
        let mut problems = Vec::new();
        for (name, reply) in unused {
            let times = if self.calls == 1 {
                "once".to_owned()
            } else {
                format!("{} times", self.calls)
            };
            let message = format!("{name} was not used: the agent asked its model {times}");
            let problem = ModelProblem::new(ModelProblemKind::Unused, message)
                .fact(placed(reply))
                .help("remove it, or write `optional: true` if the agent need not ask for it");
            problems.push(problem);
        }
        problems
    }

    /// The answer that a request with this body got, which is another attempt of the same call.
    fn give_again(&mut self, model: &str, fingerprint: &str) -> Option<LaneAnswer> {
        let mut newest_first = self.answers.iter().rev();
        let given = newest_first.find(|given| given.fingerprint == fingerprint)?;
        self.since_taken.used.asked_again.push(AskedAgain {
            name: model.to_owned(),
            call: given.call,
        });
        Some(given.answer.clone())
    }

    /// Remembers a call, and its answer for another attempt.
    fn remember(&mut self, model: &str, asked: &LaneRequest<'_>, answer: &LaneAnswer) {
        self.answered += 1;
        self.since_taken.used.calls.push(ModelCall {
            name: model.to_owned(),
            api: asked.api.into(),
            request: asked.request.clone(),
            answer: answer.answer.clone(),
            answered_by: answer.answered_by,
        });
        if self.answers.len() == MOST_ANSWERS {
            self.answers.pop_front();
        }
        self.answers.push_back(GivenAnswer {
            fingerprint: asked.fingerprint.clone(),
            call: self.answered,
            answer: answer.clone(),
        });
    }

    fn add_problem(&mut self, problem: ModelProblem) {
        if problem.is_warning {
            self.since_taken.warnings.push(problem);
            return;
        }
        self.problems += 1;
        if self.problems <= MOST_PROBLEMS {
            self.since_taken.problems.push(problem);
        } else {
            self.since_taken.more_problems += 1;
        }
    }
}

/// The problem with what is worth knowing about a request: its API and model, the user's message, and new results.
pub(crate) fn with_request(
    problem: ModelProblem,
    request: &ModelRequest,
    api: &str,
) -> ModelProblem {
    let mut asked = format!("asked: {api}, {}", request.model);
    let text = last_user_text(request);
    if !text.is_empty() {
        // Writing to a text never fails.
        let _ = write!(asked, ", user {:?}", truncate::chars(text, SHOWN_CHARS));
    }
    let mut problem = problem.fact(asked);
    for result in new_results(request) {
        let tool = if result.tool.is_empty() {
            "a tool"
        } else {
            result.tool
        };
        let text = result.text();
        // A text is quoted, so that its lines are not taken for those of the message.
        let shown = truncate::chars(&text, SHOWN_CHARS);
        problem = problem.fact(format!("result of {tool}: {shown:?}"));
    }
    problem
}

/// The problem of an agent that has not asked at all.
fn never_asked(unused: &[(String, &CompiledModelReply)]) -> ModelProblem {
    let answers = if unused.len() == 1 {
        "an answer".to_owned()
    } else {
        format!("{} answers", unused.len())
    };
    let message = format!("the agent never asked its model, whose script has {answers} for it");
    let mut problem = ModelProblem::new(ModelProblemKind::Unused, message);
    for (_, reply) in unused.iter().take(SHOWN_ANSWERS) {
        problem = problem.fact(placed(reply));
    }
    problem.help(POINTING_HELP)
}

/// An answer with its place.
fn placed(reply: &CompiledModelReply) -> String {
    let place = &reply.place;
    format!("{}:{}: {}", place.file, place.line, described(reply))
}

/// The answer in a few words.
fn described(reply: &CompiledModelReply) -> String {
    for step in &reply.steps {
        match step {
            CompiledModelStep::Say(text) => {
                return format!("say {:?}", truncate::chars(text, SHOWN_CHARS));
            }
            CompiledModelStep::Call { tool, .. } => return format!("call {tool}"),
            _ => {}
        }
    }
    "an answer without text".to_owned()
}
