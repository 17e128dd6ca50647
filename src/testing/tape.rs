//! Everything that happened in a session, so that rules can be applied to it afterwards as if they had watched.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{TestingError, event_turn::EventTurn, session_requests::SessionRequests};
use ananke_agents::Wire;
use ananke_base::context::At;
use ananke_base::message::{Lane, ToolAnswer};
use ananke_conversation::{Observer, TapeItem, TapePlayer};
use ananke_rules::{Evaluator, Following, Inherited, Question, TurnRules};
use ananke_trace::outcome::RuleResult;
use ananke_trace::redact::Redactor;
use ananke_trace::trace::{
    AgentEvent, Change, EventRole, Input, MessageKind, ResultContent, RunEnd, Trace,
};

/// A session. Clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct Tape(Arc<Mutex<Vec<TapeItem>>>);

/// The evaluation of rules on a turn.
#[derive(Debug)]
pub(super) struct Evaluation {
    /// The failures that they found.
    failures: Vec<RuleResult>,
    /// The rules that neither passed nor failed, since the conversation does not show what they are about.
    not_shown: Vec<RuleResult>,
    /// The questions that they ask, if nothing was found.
    questions: Vec<Question>,
    evaluator: Evaluator,
    trace: Trace,
}

/// The status of rules that neither pass nor fail, since the conversation does not show what they are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnshownRules {
    /// They fail.
    Fail,
    /// They are reported apart from those that fail.
    Reported,
}

impl Evaluation {
    /// Whether a script or a judge has to decide something.
    pub(super) fn has_questions(&self) -> bool {
        self.failures.is_empty() && !self.questions.is_empty()
    }

    /// The same, with these further rules that are not shown.
    #[must_use]
    pub(super) fn and_not_shown(mut self, rules: Vec<RuleResult>) -> Self {
        self.not_shown.extend(rules);
        self
    }

    /// The findings, after scripts and judges have decided the questions of the rules. As in a YAML test, these are asked only if
    /// nothing was found.
    pub(super) async fn findings(
        mut self,
        requests: &SessionRequests,
    ) -> Result<Vec<RuleResult>, TestingError> {
        self.decide(requests).await?;
        Ok(self.failures)
    }

    /// The results of all rules: those that failed, are not shown, and passed. Scripts and judges are asked as for
    /// [`Self::findings`].
    pub(super) async fn results(
        mut self,
        requests: &SessionRequests,
    ) -> Result<Vec<RuleResult>, TestingError> {
        self.decide(requests).await?;
        let passed = self.evaluator.take_passed(&self.trace);
        let mut results = self.failures;
        results.extend(self.not_shown);
        results.extend(self.evaluator.take_not_shown());
        results.extend(passed.into_iter().map(|(_, result)| result));
        Ok(results)
    }

    async fn decide(&mut self, requests: &SessionRequests) -> Result<(), TestingError> {
        let Self {
            failures,
            questions,
            evaluator,
            trace,
            not_shown: _,
        } = self;
        if let Some(problem) = evaluator.overtime() {
            return Err(TestingError::of_judging(problem));
        }
        if let Some(problem) = evaluator.unjudged() {
            return Err(TestingError::usage(problem.message));
        }
        if failures.is_empty() {
            for question in std::mem::take(questions) {
                let decision = requests.decide(&question).await?;
                failures.extend(evaluator.decide(&question, decision, trace));
            }
        }
        Ok(())
    }
}

impl Tape {
    fn lock(&self) -> MutexGuard<'_, Vec<TapeItem>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A session in which these turns happened.
    pub(super) fn of_turns(turns: &[EventTurn]) -> Self {
        let mut items = Vec::new();
        let mut index = 0;
        for (number, turn) in turns.iter().enumerate() {
            items.extend(turn_began(number, turn.input.as_deref()));
            for event in &turn.events {
                items.push(TapeItem::Frame(At::default()));
                items.extend(changes(index, event).into_iter().map(happened));
                index += 1;
            }
            items.push(happened(Change::RunEnded(RunEnd::Finished)));
            items.push(TapeItem::Closed(At::default()));
            items.push(TapeItem::TurnEnded(Following::Turns));
        }
        Self(Arc::new(Mutex::new(items)))
    }

    /// The number of items so far.
    pub(super) fn len(&self) -> usize {
        self.lock().len()
    }

    /// A turn begins; `input` is known once it has ended, so it is put before what happened since.
    pub(super) fn turn_ended(&self, begun: usize, input: Input) {
        let mut taped = self.lock();
        taped.insert(begun, TapeItem::Turn(input, None));
        taped.push(TapeItem::TurnEnded(Following::Turns));
    }

    /// The client has answered a call.
    pub(super) fn answered(&self, answer: ToolAnswer) {
        self.lock().push(TapeItem::Answered(answer));
    }

    /// The evaluation of `rules` on the last turn before `end`.
    pub(super) fn evaluate(
        &self,
        end: usize,
        state: serde_json::Value,
        rules: TurnRules,
        redactor: Redactor,
        unshown: UnshownRules,
    ) -> Result<Evaluation, regex::Error> {
        let taped: Vec<TapeItem> = self.lock()[..end].to_vec();
        let last = taped
            .iter()
            .filter(|item| matches!(item, TapeItem::Turn(..)))
            .count()
            .saturating_sub(1);
        let mut evaluator = Evaluator::start(Inherited::default(), redactor)?;
        if unshown == UnshownRules::Reported {
            evaluator = evaluator.withholding();
        }
        evaluator.set_turn_rules(last, rules);
        let mut player = TapePlayer::new(Trace::new(state), evaluator);
        taped.into_iter().try_for_each(|item| player.play(item))?;
        let TapePlayer {
            trace,
            mut evaluator,
            mut failures,
            ..
        } = player;
        failures.extend(evaluator.settle(&trace));
        let questions = evaluator.take_questions();
        Ok(Evaluation {
            failures,
            not_shown: Vec::new(),
            questions,
            evaluator,
            trace,
        })
    }
}

/// A change of which only the place in the order is known.
fn happened(change: Change<'static>) -> TapeItem {
    TapeItem::Change(At::default(), change)
}

/// The beginning of a turn in which the user said `input`. An empty text is not a message: such a turn answers interrupts.
fn turn_began(number: usize, input: Option<&str>) -> [TapeItem; 3] {
    let text = input.unwrap_or_default().to_owned();
    let message_id = if text.is_empty() {
        None
    } else {
        Some(format!("user-{number}"))
    };
    let input = Input {
        message_id,
        shown: text.clone(),
        text,
        ..Input::default()
    };
    let started = Change::RunStarted {
        run_id: None,
        thread_id: None,
        is_replay: false,
    };
    [
        TapeItem::Turn(input, None),
        TapeItem::Sent(At::default()),
        happened(started),
    ]
}

/// The changes that the event at this index makes.
fn changes(index: usize, event: &AgentEvent) -> Vec<Change<'static>> {
    match event.clone() {
        AgentEvent::Message { role, content } => {
            let id = format!("message-{index}");
            let role = match role {
                EventRole::Assistant => MessageKind::Assistant,
                EventRole::User => MessageKind::User,
            };
            vec![
                Change::MessageOpened {
                    id: id.clone().into(),
                    role,
                    subagent: None,
                },
                Change::MessageText {
                    id: id.clone().into(),
                    delta: content.into(),
                },
                Change::MessageClosed { id: id.into() },
            ]
        }
        AgentEvent::FunctionCall {
            tool_call_id,
            name,
            arguments,
        } => vec![
            Change::CallOpened {
                id: tool_call_id.clone().into(),
                name: name.into(),
                subagent: None,
            },
            Change::CallArgs {
                id: tool_call_id.clone().into(),
                delta: arguments.to_string().into(),
            },
            Change::CallArgsDone {
                id: tool_call_id.into(),
            },
        ],
        AgentEvent::FunctionCallOutput {
            tool_call_id,
            output,
            is_error,
            ..
        } => vec![Change::CallAnswered {
            id: tool_call_id.into(),
            result: ResultContent::Json(output),
            is_error: Some(is_error),
        }],
    }
}

/// Tapes what it sees.
impl Observer for Tape {
    fn wire(&mut self, _: &Lane, at: At, wire: Wire<'_>) {
        self.lock().extend(TapeItem::of_wire(at, wire));
    }

    fn change(&mut self, _: &Lane, at: At, change: &Change<'_>) {
        self.lock()
            .push(TapeItem::Change(at, change.clone().into_owned()));
    }
}
