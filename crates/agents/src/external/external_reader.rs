//! Reads the frames of a turn, and makes changes of them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::time::Duration;

use serde::Deserialize as _;
use serde_json::Value;

use super::external_event::{
    CallEvent, ExternalEvent, FactName, ReasoningEvent, TextEvent, UnreadEvent,
};
use super::turn_frame::{ExternalOutcome, TurnAnswer, TurnFrame};
use crate::error::TargetError;
use crate::http::{ReceivedResponse, StreamReader};
use crate::sink::{EventReader, Rest, Sink, Stop};
use ananke_base::context::{At, Ids};
use ananke_trace::trace::{
    Change, Fact, Facts, MessageKind, ResultContent, RunEnd, Unread, UnreadForm, Usage,
};

/// The time for which a turn is read after its end. The transport ends it at once.
const AFTER_THE_END: Duration = Duration::from_millis(100);

/// The words about a text that is neither a piece nor whole, or both.
const ONE_TEXT: &str = "is a `text` that needs either `delta` or `content`";

/// The reader of one turn.
pub(super) struct ExternalReader<'a> {
    /// The tool of each call of the conversation, by the id of the call.
    tools: &'a mut HashMap<String, String>,
    ids: &'a dyn Ids,
    has_begun: bool,
    has_ended: bool,
    /// The messages that have begun and may go on.
    open_messages: Vec<String>,
    /// The reasoning without an id.
    reasoning: Option<String>,
    texts: ReportedText,
}

/// The form in which a turn has reported the text of the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReportedText {
    /// There is none so far.
    None,
    /// As whole messages alone: the moment of the first text is not known.
    Whole,
    /// Piece by piece: the first piece is the first text, because the agent sent it when it had it.
    Streamed,
}

/// Reports to a sink at one moment.
struct ExternalReport<'a> {
    at: At,
    sink: &'a mut dyn Sink,
    flow: ControlFlow<Stop>,
}

impl ExternalReport<'_> {
    /// Reports a change, if more is wanted.
    fn change(&mut self, change: Change<'_>) {
        if self.flow.is_continue() {
            self.flow = self.sink.change(self.at, change);
        }
    }
}

/// The tokens of a request to `model`, if the program names it.
fn tokens(usage: Usage, model: Option<String>) -> Change<'static> {
    let model = model.map(Cow::Owned);
    Change::Usage { usage, model }
}

impl<'a> ExternalReader<'a> {
    /// A reader of one turn. Messages without an id get one of `ids`.
    pub(super) fn new(tools: &'a mut HashMap<String, String>, ids: &'a dyn Ids) -> Self {
        Self {
            tools,
            ids,
            has_begun: false,
            has_ended: false,
            open_messages: Vec::new(),
            reasoning: None,
            texts: ReportedText::None,
        }
    }

    /// Reports what one event means.
    ///
    /// # Errors
    /// The words follow `event 3 of the response`.
    fn agent_event(
        &mut self,
        event: ExternalEvent,
        report: &mut ExternalReport<'_>,
    ) -> Result<(), String> {
        // An event is one change, or a few that belong together: nothing is remembered to be reported later, because a rule may
        // stop the turn here.
        match event {
            ExternalEvent::Text(text) => self.text(text, report)?,
            ExternalEvent::Call(call) => self.call(call, report)?,
            ExternalEvent::Result(result) => report.change(Change::CallAnswered {
                id: result.id.into(),
                result: ResultContent::Json(result.output),
                is_error: result.is_error,
            }),
            ExternalEvent::Reasoning(reasoning) => self.reasoning(reasoning, report),
            ExternalEvent::Usage(usage) => report.change(tokens(usage.usage(), usage.model)),
            ExternalEvent::Unread(UnreadEvent {
                name,
                facts,
                reason,
                tool,
                ..
            }) => {
                let facts = FactName::facts(&facts);
                let mut unread = Unread::known(name, facts, reason);
                // With the name of a tool all others are certain, because what is unseen is about this one alone.
                if let Some(tool) = tool {
                    let tool = Some(Cow::Owned(tool));
                    unread.form = UnreadForm::Known { tool };
                }
                report.change(Change::Unread(unread));
            }
        }
        Ok(())
    }

    /// Reports text: a piece of a message, or a whole one.
    ///
    /// # Errors
    /// If it is neither or both, or a piece of no message.
    fn text(&mut self, event: TextEvent, report: &mut ExternalReport<'_>) -> Result<(), String> {
        // One key alone says how the text came. With both, a text would be lost, so that this is an error.
        if event.delta.is_some() && event.content.is_some() {
            return Err(ONE_TEXT.to_owned());
        }
        let form = if event.delta.is_some() {
            ReportedText::Streamed
        } else {
            ReportedText::Whole
        };
        let Some(text) = event.delta.or(event.content) else {
            return Err(ONE_TEXT.to_owned());
        };

        // A piece needs an id, because nothing else says which message it goes on with.
        let id = match event.message_id {
            Some(id) => id,
            None if form == ReportedText::Whole => self.ids.next("message"),
            None => return Err("is a `delta` without its `message_id`".to_owned()),
        };
        let is_open = self.open_messages.contains(&id);
        if is_open && form == ReportedText::Whole {
            return Err("has the whole text of a message that has begun before".to_owned());
        }

        // A whole message after a streamed one does not hide when the first text came.
        if self.texts != ReportedText::Streamed {
            self.texts = form;
        }
        if !is_open {
            report.change(Change::MessageOpened {
                id: Cow::Borrowed(&id),
                role: MessageKind::Assistant,
                subagent: event.agent.map(Cow::Owned),
            });
        }
        report.change(Change::MessageText {
            id: Cow::Borrowed(&id),
            delta: text.into(),
        });
        // A message of which pieces came is open until the turn ends, since nothing says which piece is the last.
        if form == ReportedText::Whole {
            report.change(Change::MessageClosed { id: id.into() });
        } else if !is_open {
            self.open_messages.push(id);
        }
        Ok(())
    }

    fn reasoning(&mut self, event: ReasoningEvent, report: &mut ExternalReport<'_>) {
        let id = match event.message_id {
            Some(id) => id,
            None => self
                .reasoning
                .get_or_insert_with(|| self.ids.next("reasoning"))
                .clone(),
        };
        report.change(Change::Reasoning {
            id: id.into(),
            delta: event.delta.into(),
            subagent: event.agent.map(Cow::Owned),
        });
    }

    /// Reports the begin of a call.
    ///
    /// # Errors
    /// If its parent is no call.
    fn call(&mut self, event: CallEvent, report: &mut ExternalReport<'_>) -> Result<(), String> {
        // Calls inside a call are those of the agent that the tool is. Without this, a rule about the agent's own calls would
        // count them, since they look the same.
        let mut subagent = event.agent;
        if subagent.is_none()
            && let Some(parent) = event.parent
        {
            let Some(tool) = self.tools.get(&parent) else {
                return Err("has a `parent` that is no call of this conversation".to_owned());
            };
            subagent = Some(tool.clone());
        }
        let id = event.id;
        report.change(Change::CallOpened {
            id: Cow::Borrowed(&id),
            name: Cow::Borrowed(&event.name),
            subagent: subagent.map(Cow::Owned),
        });
        // A text is what the model wrote as arguments, and that it is not JSON is for the trace to find.
        let delta = match event.arguments {
            Value::String(text) => text,
            other => other.to_string(),
        };
        report.change(Change::CallArgs {
            id: Cow::Borrowed(&id),
            delta: delta.into(),
        });
        report.change(Change::CallArgsDone {
            id: Cow::Borrowed(&id),
        });
        self.tools.insert(id, event.name);
        Ok(())
    }

    /// Reports the end of the turn.
    ///
    /// # Errors
    /// The words follow `event 3 of the response`.
    fn answer(
        &mut self,
        answer: TurnAnswer,
        report: &mut ExternalReport<'_>,
    ) -> Result<(), String> {
        // A turn waits exactly if it names what for. Anything else is a mistake of the program, because nothing could answer it.
        let is_waiting = !answer.interrupts.is_empty();
        let end = match answer.outcome {
            ExternalOutcome::Finished if is_waiting => {
                return Err("is `finished` and has `interrupts`: it is `interrupted`".to_owned());
            }
            ExternalOutcome::Interrupted if !is_waiting => {
                return Err("is `interrupted` without `interrupts`".to_owned());
            }
            ExternalOutcome::Finished => RunEnd::Finished,
            ExternalOutcome::Interrupted => {
                RunEnd::Interrupted(answer.interrupts.into_iter().map(Into::into).collect())
            }
        };

        // Tokens count for the run that is open, so that they come before its end.
        if let Some(usage) = answer.usage {
            report.change(tokens(usage.usage(), usage.model));
        }
        if let Some(state) = answer.state {
            report.change(Change::StateReplaced(state));
        }
        self.end(end, report);
        Ok(())
    }

    /// Ends the turn, and everything that is open in it.
    fn end(&mut self, end: RunEnd, report: &mut ExternalReport<'_>) {
        for id in self.open_messages.drain(..) {
            report.change(Change::MessageClosed { id: id.into() });
        }
        if self.texts == ReportedText::Whole {
            let facts = Facts::of(&[Fact::FirstText]);
            let reason = "the agent does not stream, so its first text may have been earlier";
            report.change(Change::Unread(Unread::known("text:first", facts, reason)));
        }
        report.change(Change::RunEnded(end));
        self.has_ended = true;
    }

    fn frame(&mut self, frame: TurnFrame, report: &mut ExternalReport<'_>) -> Result<(), String> {
        // The program reports no begin, since it was asked for the turn: the first frame is it.
        if !self.has_begun {
            self.has_begun = true;
            report.change(Change::RunStarted {
                run_id: None,
                thread_id: None,
                is_replay: false,
            });
        }
        // A moment before the turn would belong to the turn before, so that it is refused.
        match frame {
            TurnFrame::Event(event) if event.at_ms() < 0.0 => {
                Err("has a negative `at_ms`".to_owned())
            }
            TurnFrame::Event(event) => self.agent_event(event, report),
            TurnFrame::Ended(answer) => self.answer(answer, report),
            TurnFrame::Failed(message) => {
                self.end(
                    RunEnd::Error {
                        message,
                        code: None,
                    },
                    report,
                );
                Ok(())
            }
        }
    }
}

impl EventReader for ExternalReader<'_> {
    fn event(
        &mut self,
        at: At,
        data: &[u8],
        sink: &mut dyn Sink,
    ) -> Result<ControlFlow<Stop>, String> {
        // An enum with a tag takes no fractions from a text, but from a value.
        let frame: Value =
            serde_json::from_slice(data).map_err(|error| format!("cannot be read: {error}"))?;
        let frame =
            TurnFrame::deserialize(frame).map_err(|error| format!("cannot be read: {error}"))?;
        let mut report = ExternalReport {
            at,
            sink,
            flow: ControlFlow::Continue(()),
        };
        self.frame(frame, &mut report)?;
        Ok(report.flow)
    }

    fn rest(&self) -> Option<Rest> {
        if self.has_ended {
            Some(Rest::AfterEnd(AFTER_THE_END))
        } else {
            None
        }
    }
}

impl StreamReader for ExternalReader<'_> {
    fn unfinished(&self, response: &ReceivedResponse) -> TargetError {
        response.error("the program reported no end of the turn")
    }
}
