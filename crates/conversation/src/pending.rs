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

/// The reason that a message of the user cannot be sent: interrupts are pending (SPEC 5).
fn unanswered(trace: &Trace) -> Option<Problem> {
    let pending = Pending::of(trace);
    if pending.interrupts.is_empty() {
        return None;
    }
    let message = format!("the agent waits for {}", pending.named(&pending.open()));
    let resume = resume_type_name();
    let help =
        format!("answer an open interrupt with an `{resume}` turn before the next user message");
    Some(problem(message, &help))
}

/// Whether `input` can be sent now: interrupts that are open are answered, and only these.
pub fn can_send(trace: &Trace, input: &TurnInput) -> bool {
    match input {
        TurnInput::User(_) => unanswered(trace).is_none(),
        TurnInput::Own(turn) if turn.kind.said.is_some() => unanswered(trace).is_none(),
        TurnInput::Resume(answers) => action(trace, answers).is_ok(),
        TurnInput::Connect | TurnInput::Continue | TurnInput::Own(_) => true,
    }
}

/// The action that `request` asks for; what the trace records of it goes into `input`.
///
/// # Errors
/// If something else is pending than the request brings.
pub(super) fn compose(
    trace: &Trace,
    request: &TurnRequest,
    ids: &dyn Ids,
    input: &mut Input,
) -> Result<Action, Problem> {
    Ok(match &request.input {
        TurnInput::User(content) => {
            // While interrupts are open, only an answer to them is sent: the turn fails before the agent sees it.
            if let Some(problem) = unanswered(trace) {
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
        TurnInput::Own(turn) => {
            let said = turn.said();
            if said.is_some()
                && let Some(problem) = unanswered(trace)
            {
                return Err(problem);
            }
            // A turn that says nothing has no message, so it needs no id either.
            if let Some(said) = said {
                input.message_id = Some(ids.next("message"));
                input.text = said;
            }
            Action::Own {
                message_id: input.message_id.clone(),
                turn: turn.clone(),
            }
        }
        TurnInput::Connect => {
            input.is_replay = true;
            Action::Connect
        }
        TurnInput::Resume(answers) => {
            let action = action(trace, answers)?;
            if let Action::Resume(interrupts) = &action {
                input.answered = interrupts.iter().map(answered).collect();
            }
            action
        }
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

/// The action that sends `answers`.
///
/// # Errors
/// If an answer is for nothing that is pending, or something that is pending gets no answer.
fn action(trace: &Trace, answers: &[PendingAnswer]) -> Result<Action, Problem> {
    let pending = Pending::of(trace);
    let mut interrupts = Vec::new();
    let mut calls = Vec::new();

    // Every answer goes to the one thing that it is for; an answer to nothing, or to several, is an error.
    for answer in answers {
        match pending.meant(&answer.to)? {
            PendingItem::Interrupt(interrupt) => interrupts.push(InterruptAnswer {
                id: interrupt.id.clone(),
                is_resolved: answer.is_resolved,
                payload: answer.payload.clone(),
            }),
            PendingItem::Call(call) => calls.push(ToolAnswer {
                call: call.wire_id.to_string(),
                content: answer
                    .payload
                    .clone()
                    .unwrap_or_else(|| json!({ "accepted": answer.is_resolved })),
                is_error: false,
            }),
        }
    }
    if pending.interrupts.is_empty() {
        return Ok(Action::ToolResults(calls));
    }

    // One resume must answer all interrupts, since the agent goes on with it.
    let mut open = pending.open();
    open.retain(|item| match item {
        PendingItem::Interrupt(open) => interrupts.iter().all(|answer| answer.id != open.id),
        PendingItem::Call(_) => false,
    });
    if !open.is_empty() {
        return Err(problem(
            format!("no answer to {}", pending.named(&open)),
            "a resume turn answers every open interrupt: the agent goes on when all are answered",
        ));
    }
    if !calls.is_empty() {
        let message = "the turn answers interrupts and also other calls that are waiting";
        return Err(problem(
            message.to_owned(),
            "answer the interrupts alone: the agent waits for them first",
        ));
    }
    Ok(Action::Resume(interrupts))
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
    fn of(trace: &'t Trace) -> Self {
        let mut calls = Vec::new();
        // Turns that were not needed follow the last exchange, so its turn counts and not the last one.
        if let Some(exchange) = trace.exchanges.last()
            && let Some(turn) = trace.turns.get(exchange.turn)
            && let Some(of_turn) = trace.calls.get(turn.calls.clone())
        {
            calls.extend(of_turn);
        }
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

    fn meant(&self, to: &AnswerTo) -> Result<PendingItem<'t>, Problem> {
        let open = self.open();
        let mut meant = open.clone();
        meant.retain(|item| self.is_answered_by(*item, to));
        if let [one] = meant[..] {
            return Ok(one);
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
        if meant.is_empty() {
            return Err(problem(
                format!(
                    "{reply} matches nothing that is open: the agent waits for {}",
                    self.named(&open)
                ),
                "name one of these with `id` or `tool`",
            ));
        }
        Err(problem(
            format!("{reply} matches more than one: {}", self.named(&meant)),
            "say with `id` or `tool` which one is meant",
        ))
    }

    fn is_answered_by(&self, open: PendingItem<'_>, to: &AnswerTo) -> bool {
        match to {
            AnswerTo::TheOnlyOne => true,
            AnswerTo::Id(id) => match open {
                PendingItem::Call(call) => call.wire_id == *id,
                // An author may know the call that is asked about, and not the id that the agent made up for its question.
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

    /// What the agent waits for, in words.
    fn named(&self, open: &[PendingItem<'_>]) -> String {
        let names: Vec<String> = open.iter().map(|item| self.name(*item)).collect();
        names.join(", ")
    }

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
            let problem = action(&trace(interrupts, calls), &answers).unwrap_err();
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
        let Ok(Action::Resume(answers)) = action(&trace(&["i", "j"], &[]), &both) else {
            panic!()
        };
        let ids: Vec<&str> = answers.iter().map(|answer| answer.id.as_str()).collect();
        assert_eq!(ids, ["j", "i"]);
        let Ok(Action::ToolResults(results)) =
            action(&trace(&[], &["a"]), &[answer(AnswerTo::TheOnlyOne)])
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
        assert!(unanswered(&trace(&["i"], &[])).is_some());
        assert!(unanswered(&trace(&[], &["a"])).is_none());
    }
}
