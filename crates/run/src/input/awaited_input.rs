//! Goes on after the written turns as long as the agent waits for input: a person says something, or there is nothing to say.
//!
//! **Invariant:** a test goes on, ends, fails or is skipped for a reason that its report states.

use std::fmt::Write as _;

use futures_util::future::BoxFuture;

use crate::attempt::Attempt;
use crate::context::{
    AttemptPurpose, People, Person, PersonAnswer, PersonQuestion, RequestPace, UnwrittenInput,
    UnwrittenRequest, UnwrittenTurn, input_of, too_many_turns, turn_count,
};
use ananke_base::text::{duration, truncate};
use ananke_conversation::{ConversationSoFar, asking_call, awaiting_input};
use ananke_model::model::MissingInput;
use ananke_plan::compile::CompiledInteraction;
use ananke_trace::outcome::{
    ErrorKind, Halt, InputDecision, InputOrigin, InputReason, Problem, SkipCause,
};
use ananke_trace::trace::{ToolCall, Trace};

/// The number of characters of an agent's question that are quoted.
const QUOTED: usize = 300;

/// The continuation after the written turns of one attempt.
pub(crate) struct AwaitedInput<'a> {
    attempt: &'a Attempt<'a>,
    pace: &'a RequestPace,
    interaction: CompiledInteraction,
    tools: Vec<String>,
    /// The decision after the last turn.
    decision: Option<InputDecision>,
}

impl<'a> AwaitedInput<'a> {
    /// The continuation of this attempt; `None` if the test ends with its last written turn (SPEC 8).
    pub(crate) fn of(
        attempt: &'a Attempt<'a>,
        pace: &'a RequestPace,
        interaction: CompiledInteraction,
        tools: Vec<String>,
    ) -> Option<Self> {
        // A replay of a test in which a person typed needs what was typed, whatever the options say now.
        let is_recorded = attempt.environment.has_recorded_input();
        if !interaction.detects() && !is_recorded && attempt.people() != People::Asked {
            return None;
        }
        Some(Self {
            attempt,
            pace,
            interaction,
            tools,
            decision: None,
        })
    }

    async fn awaited(
        &mut self,
        number: usize,
        so_far: ConversationSoFar<'_>,
    ) -> Result<Option<UnwrittenTurn>, Halt> {
        // Before the first turn nothing is decided yet: a test without written turns needs a first input.
        let decision = self.decision.take();
        if let Some(decision) = &decision
            && !decision.is_awaiting()
        {
            return Ok(None);
        }
        self.attempt.environment.begin_turn(turn_count(number));
        let missing = match self.typed(decision.as_ref(), so_far).await? {
            Ok(text) => {
                return Ok(Some(UnwrittenTurn {
                    sends: UnwrittenRequest::Says(input_of(so_far.trace, text)),
                    origin: InputOrigin::Human,
                    time_left: None,
                }));
            }
            Err(why) => why,
        };

        // An agent that was asked nothing did nothing that rules could evaluate.
        let Some(decision) = decision else {
            let message = format!("no initial input: {missing}");
            let problem = Problem::new(ErrorKind::Conversation, message);
            return Err(problem.help("add `turns` or `messages`").into());
        };

        // The command line is for one run, and goes before the test.
        let wanted = self.attempt.case.shared.options.on_missing_input;
        let wanted = wanted.or(self.interaction.on_missing_input);
        let call = self.asking(&decision, so_far.trace);
        match wanted.unwrap_or_default() {
            MissingInput::End => Ok(None),
            MissingInput::Skip => {
                let why = waits(&decision, call, &missing);
                Err(Halt::Skipped(self.skip_cause(), why))
            }
            MissingInput::Fail => {
                let message = waits(&decision, call, &missing);
                let help = "add a turn that answers, `simulate`, or `on_missing_input: end`";
                let problem = Problem::new(ErrorKind::Conversation, message);
                Err(problem.help(help).into())
            }
        }
    }

    /// The cause of a skip while the agent waits: `--skip-interactive` wants it.
    fn skip_cause(&self) -> SkipCause {
        match self.attempt.people() {
            People::LeftOut => SkipCause::Wanted,
            People::OfTest | People::Asked => SkipCause::MissingInput,
        }
    }

    /// The text that a person types, or in words the reason that there is none. Either is recorded.
    async fn typed(
        &self,
        decision: Option<&InputDecision>,
        so_far: ConversationSoFar<'_>,
    ) -> Result<Result<String, String>, Halt> {
        let environment = &self.attempt.environment;
        if !environment.is_live() {
            let recorded = environment.recorded_input();
            return Ok(recorded.unwrap_or_else(|| Err(NOTHING_ANSWERS.to_owned())));
        }
        let typed = match self.person() {
            Ok(person) => self.ask(person, decision, so_far).await?,
            Err(why) => Err(why.to_owned()),
        };
        environment.record_input(&typed);
        Ok(typed)
    }

    /// The person to ask, or in words the reason that there is none.
    fn person(&self) -> Result<&dyn Person, &'static str> {
        match self.attempt.people() {
            People::LeftOut => return Err("`--skip-interactive` asks no person"),
            People::OfTest if self.interaction.asks_person != Some(true) => {
                return Err(NOTHING_ANSWERS);
            }
            People::OfTest | People::Asked => {}
        }
        match &self.attempt.case.shared.person {
            Some(person) => Ok(&**person),
            None => Err("there is no terminal to ask a person at"),
        }
    }

    /// The answer of `person`, or in words the reason that there is none.
    async fn ask(
        &self,
        person: &dyn Person,
        decision: Option<&InputDecision>,
        so_far: ConversationSoFar<'_>,
    ) -> Result<Result<String, String>, Halt> {
        if so_far.trace.sent_turns() >= self.interaction.max_turns {
            return Err(too_many_turns(self.interaction.max_turns, so_far));
        }
        // The time in which a person thinks is no time of the agent.
        let question = self.question(decision, so_far);
        let mut answer = PersonAnswer::Ended;
        let asked = async { answer = person.ask(question).await };
        self.pace.hold(asked).await;
        match answer {
            PersonAnswer::Said(text) => Ok(Ok(text)),
            PersonAnswer::Late => {
                let allowed = duration::chosen(self.interaction.timeout);
                Ok(Err(format!("the person did not answer within {allowed}")))
            }
            PersonAnswer::Ended => Ok(Err("the input of the terminal has ended".to_owned())),
            PersonAnswer::Stops => Err(Halt::Stopped),
        }
    }

    /// The call with which the agent asks, if it does so with one.
    fn asking<'t>(&self, decision: &InputDecision, trace: &'t Trace) -> Option<&'t ToolCall> {
        match decision.reason {
            InputReason::ToolRequiresConfirmation => asking_call(trace, &self.tools),
            _ => None,
        }
    }

    /// The question to a person, with every secret masked.
    fn question(
        &self,
        decision: Option<&InputDecision>,
        so_far: ConversationSoFar<'_>,
    ) -> PersonQuestion {
        // An agent that asks with a call or an interrupt may say nothing in addition to it.
        let mut said = String::new();
        if let Some(turn) = so_far.trace.turns.last() {
            said = so_far.trace.turn_text(turn);
        }
        let mut hint = None;
        if let Some(decision) = decision {
            hint = decision.hint.as_deref();
            if said.is_empty() {
                said = decision.question.clone().unwrap_or_default();
            }
        }
        let Attempt { case, .. } = self.attempt;
        PersonQuestion {
            test: case.redactor.text(&case.entry.id()).into_owned(),
            said: case.redactor.text(&said).into_owned(),
            hint: hint.map(|hint| case.redactor.text(hint).into_owned()),
            timeout: self.interaction.timeout,
        }
    }
}

/// The reason that there is no answer in a test that asks no person.
const NOTHING_ANSWERS: &str = "nothing answers";

/// `the agent waits for input, and nothing answers (content_is_question): "Which order?"`
fn waits(decision: &InputDecision, call: Option<&ToolCall>, missing: &str) -> String {
    let InputDecision {
        reason,
        question,
        hint,
    } = decision;
    // The agent's own words come last, since they can be long.
    let reason = match call {
        None => reason.as_str().to_owned(),
        Some(call) => {
            let args = quoted(&call.args_text);
            format!("{}: `{}({args})`", reason.as_str(), call.name)
        }
    };
    let mut message = format!("the agent waits for input ({reason}), and {missing}");
    if let Some(question) = question {
        let _ = write!(message, ": `{}`", quoted(question));
    }
    if let Some(hint) = hint {
        let _ = write!(message, " (it wants: {})", quoted(hint));
    }
    message
}

/// The beginning of what an agent says, on one line.
fn quoted(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    truncate::chars(&text, QUOTED).into_owned()
}

impl Attempt<'_> {
    /// The tests in which people are asked: a replay that verifies a recording never asks a person.
    fn people(&self) -> People {
        match self.purpose {
            AttemptPurpose::Report => self.case.shared.options.people,
            AttemptPurpose::Verify => People::OfTest,
        }
    }
}

impl UnwrittenInput for AwaitedInput<'_> {
    fn next<'a>(
        &'a mut self,
        number: usize,
        so_far: ConversationSoFar<'a>,
    ) -> BoxFuture<'a, Result<Option<UnwrittenTurn>, Halt>> {
        Box::pin(self.awaited(number, so_far))
    }

    fn awaits(&mut self, trace: &Trace) -> Option<InputDecision> {
        self.decision = Some(awaiting_input(trace, &self.tools));
        self.decision.clone()
    }
}
