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
        // The replay of a test in which a person typed needs the recorded text, whatever the options say now.
        let has_recorded_input = attempt.environment.has_recorded_input();
        // Otherwise the test goes on only if it, or an option of the run, asks if the agent waits for input.
        if !interaction.detects() && !has_recorded_input && attempt.people() != People::Asked {
            return None;
        }
        Some(Self {
            attempt,
            pace,
            interaction,
            tools,
            // The first decision is made when a turn has ended.
            decision: None,
        })
    }

    /// The turn `number` with the text of a person, if the agent waits for input; `None` if the conversation is over. If the
    /// agent waits and no person answers, `on_missing_input` decides: the test ends, fails or is skipped.
    async fn awaited(
        &mut self,
        number: usize,
        so_far: ConversationSoFar<'_>,
    ) -> Result<Option<UnwrittenTurn>, Halt> {
        // `awaits` left the decision after the last turn. In a test without written turns there is none before the first input.
        let decision = self.decision.take();
        if let Some(decision) = &decision
            && !decision.is_awaiting()
        {
            return Ok(None);
        }
        // The recording stores the text of the person in the turn that begins here.
        self.attempt.environment.begin_turn(turn_count(number));
        let no_answer = match self.typed(decision.as_ref(), so_far).await? {
            Ok(text) => {
                return Ok(Some(UnwrittenTurn {
                    sends: UnwrittenRequest::Says(input_of(so_far.trace, text)),
                    origin: InputOrigin::Human,
                    time_left: None,
                }));
            }
            Err(reason) => reason,
        };

        // Without a decision no turn was sent. Rules can evaluate nothing then, so this is a problem whatever the options say.
        let Some(decision) = decision else {
            let message = format!("no initial input: {no_answer}");
            let problem = Problem::new(ErrorKind::Conversation, message);
            return Err(problem.help("add `turns` or `messages`").into());
        };

        // The command line is for one run, and goes before the test. If neither sets it, the test is skipped.
        let of_command_line = self.attempt.case.shared.options.on_missing_input;
        let on_missing_input = of_command_line.or(self.interaction.on_missing_input);
        let call = self.asking_call(&decision, so_far.trace);
        match on_missing_input.unwrap_or_default() {
            // The rules evaluate the conversation as it is.
            MissingInput::End => Ok(None),
            MissingInput::Skip => {
                let message = waiting_message(&decision, call, &no_answer);
                Err(Halt::Skipped(self.skip_cause(), message))
            }
            MissingInput::Fail => {
                let message = waiting_message(&decision, call, &no_answer);
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

    /// The text that a person types, or in words the reason that there is none. Either is recorded, and a replay returns it.
    async fn typed(
        &self,
        decision: Option<&InputDecision>,
        so_far: ConversationSoFar<'_>,
    ) -> Result<Result<String, String>, Halt> {
        let environment = &self.attempt.environment;
        if !environment.is_live() {
            // A replay asks no person. If none was asked when the test was recorded, nothing answers now either.
            let recorded = environment.recorded_input();
            return Ok(recorded.unwrap_or_else(|| Err(NOTHING_ANSWERS.to_owned())));
        }
        let typed = match self.person() {
            Ok(person) => self.ask(person, decision, so_far).await?,
            Err(reason) => Err(reason.to_owned()),
        };
        environment.record_input(&typed);
        Ok(typed)
    }

    /// The person to ask, or in words the reason that there is none.
    fn person(&self) -> Result<&dyn Person, &'static str> {
        // The options of the run come first: they ask a person in no test, in every test, or in those that say so.
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
    ///
    /// # Errors
    /// If the conversation has had all turns that it may have, or the person stops the run.
    async fn ask(
        &self,
        person: &dyn Person,
        decision: Option<&InputDecision>,
        so_far: ConversationSoFar<'_>,
    ) -> Result<Result<String, String>, Halt> {
        if so_far.trace.sent_turns() >= self.interaction.max_turns {
            return Err(too_many_turns(self.interaction.max_turns, so_far));
        }
        // The time in which a person thinks does not count for the timeouts of the test, so `hold` stops them while it waits. Its
        // future returns nothing, so the answer is put into a variable.
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
    fn asking_call<'t>(&self, decision: &InputDecision, trace: &'t Trace) -> Option<&'t ToolCall> {
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
        // A person reads all that the agent said in its last turn. Before the first turn that is nothing.
        let mut agent_text = String::new();
        if let Some(turn) = so_far.trace.turns.last() {
            agent_text = so_far.trace.turn_text(turn);
        }
        // An agent that asks with a call or an interrupt may say nothing in addition to it: then its question is shown.
        let mut hint = None;
        if let Some(decision) = decision {
            hint = decision.hint.as_deref();
            if agent_text.is_empty() {
                agent_text = decision.question.clone().unwrap_or_default();
            }
        }
        let Attempt { case, .. } = self.attempt;
        PersonQuestion {
            test: case.redactor.text(&case.entry.id()).into_owned(),
            said: case.redactor.text(&agent_text).into_owned(),
            hint: hint.map(|hint| case.redactor.text(hint).into_owned()),
            timeout: self.interaction.timeout,
        }
    }
}

/// The reason that there is no answer in a test that asks no person.
const NOTHING_ANSWERS: &str = "nothing answers";

/// The message about an agent that waits for input: ``the agent waits for input (content_is_question), and nothing answers:
/// `Which order?` ``. `call` is the call with which the agent asks, and `no_answer` the reason in words that it gets no answer.
fn waiting_message(decision: &InputDecision, call: Option<&ToolCall>, no_answer: &str) -> String {
    let InputDecision {
        reason,
        question,
        hint,
    } = decision;
    // A call shows better than the name of the reason how the agent asks, so the reason includes it.
    let reason = match call {
        None => reason.as_str().to_owned(),
        Some(call) => {
            let args = quoted(&call.args_text);
            format!("{}: `{}({args})`", reason.as_str(), call.name)
        }
    };
    let mut message = format!("the agent waits for input ({reason}), and {no_answer}");
    // The agent's own words come last, since they can be long. Writing to a String cannot fail.
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
