//! Goes on after the written turns as long as the agent waits for input: a person says something, or there is nothing to say.
//!
//! **Invariant:** a test goes on, ends, fails or is skipped for a reason that its report states.

use futures_util::future::BoxFuture;

use crate::attempt::Attempt;
use crate::context::{
    AttemptPurpose, People, PersonAnswer, PersonQuestion, RequestPace, UnwrittenInput,
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
        let is_recorded = attempt.environment.has_recorded_input();
        let detects = interaction.detects() || is_recorded || attempt.people() == People::Asked;
        detects.then_some(Self {
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
        let decision = self.decision.take();
        if decision
            .as_ref()
            .is_some_and(|decision| !decision.is_awaiting())
        {
            return Ok(None);
        }
        self.attempt.environment.begin_turn(turn_count(number));
        let missing = match self.typed(decision.as_ref(), so_far).await? {
            Ok(text) => {
                let sends = UnwrittenRequest::Says(input_of(so_far.trace, text));
                return Ok(Some(UnwrittenTurn {
                    sends,
                    origin: InputOrigin::Human,
                    time_left: None,
                }));
            }
            Err(why) => why,
        };
        let Some(decision) = decision else {
            let message = format!("no initial input: {missing}");
            let help = Some("add `turns` or `messages`".to_owned());
            return Err(Problem {
                kind: ErrorKind::Conversation,
                message,
                help,
            }
            .into());
        };
        let wanted = self.attempt.case.shared.options.on_missing_input;
        match wanted
            .or(self.interaction.on_missing_input)
            .unwrap_or_default()
        {
            MissingInput::End => Ok(None),
            MissingInput::Skip => {
                let why = waits(&decision, self.asking(&decision, so_far.trace), &missing);
                Err(Halt::Skipped(self.skip_cause(), why))
            }
            MissingInput::Fail => {
                let help =
                    "add a turn that answers, `simulate`, or `on_missing_input: end`".to_owned();
                let call = self.asking(&decision, so_far.trace);
                let message = waits(&decision, call, &missing);
                Err(Problem::new(ErrorKind::Conversation, message)
                    .help(help)
                    .into())
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

    /// The text that a person types, or in words the reason that there is none.
    async fn typed(
        &self,
        decision: Option<&InputDecision>,
        so_far: ConversationSoFar<'_>,
    ) -> Result<Result<String, String>, Halt> {
        let Attempt {
            case, environment, ..
        } = self.attempt;
        if !environment.is_live() {
            return Ok(environment
                .recorded_input()
                .unwrap_or_else(|| Err(NOTHING_ANSWERS.to_owned())));
        }
        let typed = match (self.attempt.people(), &case.shared.person) {
            (People::LeftOut, _) => Err("`--skip-interactive` asks no person".to_owned()),
            (People::OfTest, _) if self.interaction.asks_person != Some(true) => {
                Err(NOTHING_ANSWERS.to_owned())
            }
            (People::OfTest | People::Asked, None) => {
                Err("there is no terminal to ask a person at".to_owned())
            }
            (People::OfTest | People::Asked, Some(person)) => {
                if so_far.trace.sent_turns() >= self.interaction.max_turns {
                    return Err(too_many_turns(self.interaction.max_turns, so_far));
                }
                let question = self.question(decision, so_far);
                let mut answer = PersonAnswer::Ended;
                self.pace
                    .hold(async { answer = person.ask(question).await })
                    .await;
                match answer {
                    PersonAnswer::Said(text) => Ok(text),
                    PersonAnswer::Late => Err(format!(
                        "the person did not answer within {}",
                        duration::chosen(self.interaction.timeout)
                    )),
                    PersonAnswer::Ended => Err("the input of the terminal has ended".to_owned()),
                    PersonAnswer::Stops => return Err(Halt::Stopped),
                }
            }
        };
        environment.record_input(&typed);
        Ok(typed)
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
        let Attempt { case, .. } = self.attempt;
        let mask = |text: &str| case.redactor.text(text).into_owned();
        let said = so_far
            .trace
            .turns
            .last()
            .map(|turn| so_far.trace.turn_text(turn));
        let asked = decision.and_then(|decision| decision.question.clone());
        let said = said
            .filter(|said| !said.is_empty())
            .or(asked)
            .unwrap_or_default();
        let hint = decision
            .and_then(|decision| decision.hint.as_deref())
            .map(mask);
        let timeout = self.interaction.timeout;
        PersonQuestion {
            test: mask(&case.entry.id()),
            said: mask(&said),
            hint,
            timeout,
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
    let quoted = |text: &str| {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        truncate::chars(&text, QUOTED).into_owned()
    };
    let question = question
        .as_deref()
        .map(|question| format!(": `{}`", quoted(question)));
    let hint = hint
        .as_deref()
        .map(|hint| format!(" (it wants: {})", quoted(hint)));
    let reason = match call {
        None => reason.as_str().to_owned(),
        Some(call) => {
            let args = quoted(call.args_text.as_str());
            format!("{}: `{}({args})`", reason.as_str(), call.name)
        }
    };
    let (question, hint) = (question.unwrap_or_default(), hint.unwrap_or_default());
    format!("the agent waits for input ({reason}), and {missing}{question}{hint}")
}

impl Attempt<'_> {
    /// Whether people are asked: a replay that verifies a recording never asks a person.
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
