//! The requests that turns send: what is pending between two turns, interrupts and calls without a result, is answered first.

use serde_json::json;

use ananke_agents::Action;
use ananke_base::context::Ids;
use ananke_base::message::{
    AnswerTo, InterruptAnswer, PendingAnswer, ToolAnswer, TurnInput, TurnRequest,
};
use ananke_model::model::resume_type_name;
use ananke_trace::outcome::{ErrorKind, Problem};
use ananke_trace::trace::{
    AnsweredInterrupt, Input, Interrupt, InterruptStatus, Origin, RunEnd, ToolCall, Trace,
};

/// The pending interrupts, and calls of the last turn without a result.
struct Pending<'t> {
    interrupts: &'t [Interrupt],
    calls: Vec<&'t ToolCall>,
    trace: &'t Trace,
}

/// One thing that is pending.
#[derive(Clone, Copy)]
enum PendingItem<'t> {
    Interrupt(&'t Interrupt),
    Call(&'t ToolCall),
}

/// The problem of a message that the user sends while interrupts are open (SPEC 5); `None` if none is open.
fn open_interrupt_problem(trace: &Trace) -> Option<Problem> {
    let pending = Pending::of(trace);
    if pending.interrupts.is_empty() {
        return None;
    }
    let message = format!("the agent waits for {}", pending.named(&pending.open()));
    let resume = resume_type_name();
    let help =
        format!("answer an open interrupt with a `{resume}` turn before the next user message");
    Some(problem(message, &help))
}

/// Whether `input` can be sent now: interrupts that are open are answered, and only these.
pub fn can_send(trace: &Trace, input: &TurnInput) -> bool {
    match input {
        TurnInput::User(_) => open_interrupt_problem(trace).is_none(),
        TurnInput::Own(turn) if turn.kind.said.is_some() => open_interrupt_problem(trace).is_none(),
        TurnInput::Resume(answers) => answer_action(trace, answers).is_ok(),
        TurnInput::Connect | TurnInput::Continue | TurnInput::Own(_) => true,
    }
}

/// The action that sends `request`, after the conversation in `trace`. The parts of it that the trace records are written to
/// `input`.
///
/// # Errors
/// If interrupts are open that the request does not answer, or an answer of it is for nothing that is open.
pub(super) fn compose(
    trace: &Trace,
    request: &TurnRequest,
    ids: &dyn Ids,
    input: &mut Input,
) -> Result<Action, Problem> {
    Ok(match &request.input {
        TurnInput::User(content) => {
            // While interrupts are open, only an answer to them may be sent, so the turn fails before the agent gets it.
            if let Some(problem) = open_interrupt_problem(trace) {
                return Err(problem);
            }
            let message_id = request
                .message
                .id
                .clone()
                .unwrap_or_else(|| ids.next("message"));
            input.message_id = Some(message_id.clone());
            input.text = content.text().into_owned();
            Action::User {
                message_id,
                name: request.message.name.clone(),
                content: content.clone(),
            }
        }
        // A turn of the protocol's own may have a text of the user, which is a message as above. Without one it needs no id.
        TurnInput::Own(turn) => {
            if let Some(text) = turn.said() {
                if let Some(problem) = open_interrupt_problem(trace) {
                    return Err(problem);
                }
                input.message_id = Some(ids.next("message"));
                input.text = text;
            }
            Action::Own {
                message_id: input.message_id.clone(),
                turn: turn.clone(),
            }
        }
        // The agent replays the conversation so far, which is nothing new to the trace.
        TurnInput::Connect => {
            input.is_replay = true;
            Action::Connect
        }
        TurnInput::Resume(answers) => {
            let action = answer_action(trace, answers)?;
            // The answers may also be results of calls, which `input` has no place for.
            if let Action::Resume(interrupts) = &action {
                input.answered = interrupts.iter().map(answered).collect();
            }
            action
        }
        // The agent goes on without an input, so there is nothing to record.
        TurnInput::Continue => Action::Continue,
    })
}

/// The part of an answer that the trace records.
fn answered(answer: &InterruptAnswer) -> AnsweredInterrupt {
    AnsweredInterrupt {
        id: answer.id.clone(),
        status: if answer.is_resolved {
            InterruptStatus::Resolved
        } else {
            InterruptStatus::Cancelled
        },
    }
}

/// The action that sends `answers`, after the conversation in `trace`.
///
/// # Errors
/// If an answer is not for exactly one thing that is pending, or an open interrupt gets no answer.
fn answer_action(trace: &Trace, answers: &[PendingAnswer]) -> Result<Action, Problem> {
    let pending = Pending::of(trace);
    let mut interrupt_answers = Vec::new();
    let mut results = Vec::new();
    for answer in answers {
        match pending.only_match(&answer.to)? {
            PendingItem::Interrupt(interrupt) => interrupt_answers.push(InterruptAnswer {
                id: interrupt.id.clone(),
                is_resolved: answer.is_resolved,
                payload: answer.payload.clone(),
            }),
            // A result must have a content: without a payload, it says whether the user accepted.
            PendingItem::Call(call) => results.push(ToolAnswer {
                call: call.wire_id.to_string(),
                content: answer
                    .payload
                    .clone()
                    .unwrap_or_else(|| json!({ "accepted": answer.is_resolved })),
                is_error: false,
            }),
        }
    }
    // While an interrupt is open, calls are pending only as interrupts, so the answers are all of one kind.
    if pending.interrupts.is_empty() {
        return Ok(Action::ToolResults(results));
    }

    // One resume must answer all interrupts, since the agent goes on with it.
    let mut unanswered = Vec::new();
    for open in pending.interrupts {
        let mut answers = interrupt_answers.iter();
        if answers.all(|answer| answer.id != open.id) {
            unanswered.push(PendingItem::Interrupt(open));
        }
    }
    if !unanswered.is_empty() {
        return Err(problem(
            format!("no answer to {}", pending.named(&unanswered)),
            "a resume turn answers every open interrupt: the agent goes on when all are answered",
        ));
    }
    Ok(Action::Resume(interrupt_answers))
}

/// The interrupts that the last run left open.
pub(super) fn open_interrupts(trace: &Trace) -> &[Interrupt] {
    if let Some(exchange) = trace.exchanges.last()
        && let Some(RunEnd::Interrupted(interrupts)) = &exchange.run_end
    {
        interrupts
    } else {
        &[]
    }
}

impl<'t> Pending<'t> {
    /// The interrupts and calls that the last turn that was sent left open in `trace`.
    fn of(trace: &'t Trace) -> Self {
        let mut calls = Vec::new();
        // The last turn of the trace may be one that was not needed, so the turn of the last exchange counts.
        if let Some(exchange) = trace.exchanges.last()
            && let Some(turn) = trace.turns.get(exchange.turn)
            && let Some(turn_calls) = trace.calls.get(turn.calls.clone())
        {
            calls.extend(turn_calls);
        }
        // A call of the history, or of a thread that is replayed, is over: nothing waits for its result.
        calls.retain(|call| call.is_pending() && call.origin != Origin::History);
        Self {
            interrupts: open_interrupts(trace),
            calls,
            trace,
        }
    }

    /// Everything that is pending: a call that an interrupt is about is pending as that interrupt.
    fn open(&self) -> Vec<PendingItem<'t>> {
        if self.interrupts.is_empty() {
            return self.calls.iter().copied().map(PendingItem::Call).collect();
        }
        self.interrupts.iter().map(PendingItem::Interrupt).collect()
    }

    /// The only open thing that an answer `to` matches.
    ///
    /// # Errors
    /// If nothing is open, if the answer matches nothing that is open, or if it matches more than one thing.
    fn only_match(&self, to: &AnswerTo) -> Result<PendingItem<'t>, Problem> {
        let open = self.open();
        let mut matches = open.clone();
        matches.retain(|item| self.is_answered_by(*item, to));
        if let [only] = matches[..] {
            return Ok(only);
        }

        // Each of the three mistakes has a remedy of its own.
        let reply = match to {
            AnswerTo::TheOnlyOne => "the answer".to_owned(),
            AnswerTo::Id(id) => format!("the answer to `{id}`"),
            AnswerTo::Tool(tool) => format!("the answer to the call to `{tool}`"),
        };
        if open.is_empty() {
            return Err(problem(
                format!("{reply} has nothing to answer: the agent is not waiting for input"),
                "did the previous turn end without an interrupt? `-v` shows what the agent did",
            ));
        }
        if matches.is_empty() {
            return Err(problem(
                format!(
                    "{reply} matches nothing that is open: the agent waits for {}",
                    self.named(&open)
                ),
                "name one of these with `id` or `tool`",
            ));
        }
        Err(problem(
            format!("{reply} matches more than one: {}", self.named(&matches)),
            "say with `id` or `tool` which one is meant",
        ))
    }

    /// Whether an answer `to` matches `open`. An answer without an id or a tool matches everything that is open.
    fn is_answered_by(&self, open: PendingItem<'_>, to: &AnswerTo) -> bool {
        match to {
            AnswerTo::TheOnlyOne => true,
            AnswerTo::Id(id) => match open {
                PendingItem::Call(call) => call.wire_id == *id,
                // The id of a call also matches an interrupt about that call: the author of the test may know it, while the id of
                // the interrupt is made up by the agent.
                PendingItem::Interrupt(interrupt) => {
                    interrupt.id == *id || interrupt.call.as_ref() == Some(id)
                }
            },
            AnswerTo::Tool(tool) => match open {
                PendingItem::Call(call) => call.name == *tool,
                PendingItem::Interrupt(interrupt) => self.trace.tool_of(interrupt) == Some(tool),
            },
        }
    }

    /// The things that the agent waits for, in words.
    fn named(&self, open: &[PendingItem<'_>]) -> String {
        let names: Vec<String> = open.iter().map(|item| self.name(*item)).collect();
        names.join(", ")
    }

    /// A thing that the agent waits for, in words that follow "the agent waits for".
    fn name(&self, item: PendingItem<'_>) -> String {
        match item {
            PendingItem::Call(call) => format!("a result of `{}` (`{}`)", call.name, call.wire_id),
            PendingItem::Interrupt(interrupt) => {
                let about = match self.trace.tool_of(interrupt) {
                    Some(tool) => format!(" about `{tool}`"),
                    None => String::new(),
                };
                let asks = match &interrupt.message {
                    Some(message) => format!(": {message}"),
                    None => String::new(),
                };
                format!("an answer to its interrupt `{}`{about}{asks}", interrupt.id)
            }
        }
    }
}

fn problem(message: String, help: &str) -> Problem {
    Problem::new(ErrorKind::Conversation, message).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ananke_base::context::At;
    use ananke_base::message::ToolAnswer;
    use ananke_trace::trace::{Change, Input};

    /// A trace whose only turn leaves these interrupts and these calls, all of them to `pay`, open.
    fn trace(interrupts: &[&str], calls: &[&str]) -> Trace {
        let mut trace = Trace::new(json!({}));
        trace.begin_turn(Input::default());
        trace.begin_exchange(At::default());
        let mut deltas = Vec::new();
        let mut apply = |change| trace.apply(At::default(), change, &mut deltas);
        apply(Change::RunStarted {
            run_id: None,
            thread_id: None,
            is_replay: false,
        });
        for call in calls {
            apply(Change::CallOpened {
                id: (*call).into(),
                name: "pay".into(),
                subagent: None,
            });
            apply(Change::CallArgsDone { id: (*call).into() });
        }
        let interrupt = |id: &&str| Interrupt {
            id: (*id).to_owned(),
            ..Interrupt::default()
        };
        apply(Change::RunEnded(match interrupts {
            [] => RunEnd::Finished,
            interrupts => RunEnd::Interrupted(interrupts.iter().map(interrupt).collect()),
        }));
        trace
    }

    fn answer(to: AnswerTo) -> PendingAnswer {
        PendingAnswer {
            to,
            is_resolved: true,
            payload: None,
        }
    }

    #[test]
    fn an_answer_that_is_for_nothing_is_a_problem() {
        let id = |id: &str| AnswerTo::Id(id.to_owned());
        let tool = |tool: &str| AnswerTo::Tool(tool.to_owned());
        for (interrupts, calls, answers, message) in [
            (
                &[][..],
                &[][..],
                vec![AnswerTo::TheOnlyOne],
                "the answer has nothing to answer: the agent is not waiting for input",
            ),
            (
                &["i"],
                &[],
                vec![id("j")],
                "the answer to `j` matches nothing that is open: the agent waits for an answer to its interrupt `i`",
            ),
            (
                &[],
                &["a"],
                vec![tool("find")],
                "the answer to the call to `find` matches nothing that is open: the agent waits for a result of `pay` (`a`)",
            ),
            (
                &["i", "j"],
                &[],
                vec![AnswerTo::TheOnlyOne],
                "the answer matches more than one: an answer to its interrupt `i`, an answer to its interrupt `j`",
            ),
            (
                &[],
                &["a", "b"],
                vec![tool("pay")],
                "the answer to the call to `pay` matches more than one: a result of `pay` (`a`), a result of `pay` (`b`)",
            ),
            (
                &["i", "j"],
                &[],
                vec![id("i")],
                "no answer to an answer to its interrupt `j`",
            ),
        ] {
            let answers: Vec<PendingAnswer> = answers.into_iter().map(answer).collect();
            let problem = answer_action(&trace(interrupts, calls), &answers).unwrap_err();
            assert_eq!(
                (problem.kind, problem.message.as_str()),
                (ErrorKind::Conversation, message)
            );
            assert!(problem.help.is_some());
        }
    }

    #[test]
    fn answers_go_to_what_they_are_for() {
        let both = [
            answer(AnswerTo::Id("j".to_owned())),
            answer(AnswerTo::Id("i".to_owned())),
        ];
        let Ok(Action::Resume(answers)) = answer_action(&trace(&["i", "j"], &[]), &both) else {
            panic!()
        };
        let ids: Vec<&str> = answers.iter().map(|answer| answer.id.as_str()).collect();
        assert_eq!(ids, ["j", "i"]);
        let Ok(Action::ToolResults(results)) =
            answer_action(&trace(&[], &["a"]), &[answer(AnswerTo::TheOnlyOne)])
        else {
            panic!()
        };
        let content = json!({ "accepted": true });
        assert_eq!(
            results,
            [ToolAnswer {
                call: "a".to_owned(),
                content,
                is_error: false
            }]
        );
    }

    #[test]
    fn a_message_of_the_user_answers_no_interrupt() {
        ananke_fakes::install();
        assert!(open_interrupt_problem(&trace(&["i"], &[])).is_some());
        assert!(open_interrupt_problem(&trace(&[], &["a"])).is_none());
    }
}
