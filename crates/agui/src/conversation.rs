//! One conversation in AG-UI over any transport: makes the input of each run, and takes its result.

use std::borrow::Cow;

use serde_json::value::{RawValue, to_raw_value};

use super::content::Content;
use super::conversation_settings::{ContextItem, ConversationSettings};
use super::decoder::Decoder;
use super::event_reader::AguiEvents;
use super::request::{Messages, RunInput, pass_on_over, with_command, with_options};
use super::run_state::RequestPurpose;
use super::thread_state::{SavedThread, ThreadState, UserMessage};
use ananke_agents::{Action, Ended, Request, SessionOptions, Sink, TargetError};
use ananke_base::source::received_json::without_marks;
use ananke_trace::trace::Change;

/// One conversation with an agent that speaks AG-UI.
pub(super) struct AguiConversation {
    settings: ConversationSettings,
    thread: ThreadState,
}

/// A run that was requested, until its response is over.
pub(super) struct RequestedRun {
    pub(super) purpose: RequestPurpose,
    decoder: Decoder,
    /// The thread that the agent may replay.
    remembered: Option<SavedThread>,
}

impl AguiConversation {
    pub(super) fn new(settings: ConversationSettings, options: SessionOptions) -> Self {
        let thread = ThreadState::new(options, settings.state.clone(), settings.version);
        Self { settings, thread }
    }

    pub(super) fn thread_id(&self) -> &str {
        &self.thread.thread_id
    }

    /// Begins a run: its input as JSON.
    ///
    /// # Errors
    /// If the input cannot be written as JSON.
    pub(super) fn begin(
        &mut self,
        request: Request,
    ) -> Result<(Box<RawValue>, RequestedRun), TargetError> {
        let purpose = if request.action == Action::Connect {
            RequestPurpose::Connect
        } else {
            RequestPurpose::Run
        };
        let run_id = self.thread.ids.next("run");
        let input = self.input(request, purpose, &run_id)?;
        let remembered = (purpose == RequestPurpose::Connect).then(|| self.thread.forget());
        let decoder = Decoder::new(run_id, purpose, &self.settings);
        Ok((
            input,
            RequestedRun {
                purpose,
                decoder,
                remembered,
            },
        ))
    }

    /// The reader of the run's response.
    pub(super) fn events<'a>(&'a mut self, run: &'a mut RequestedRun) -> AguiEvents<'a> {
        AguiEvents {
            decoder: &mut run.decoder,
            conversation: &mut self.thread,
        }
    }

    /// Ends a run whose response came to this; `None` if it was cancelled.
    ///
    /// # Errors
    /// Those of the response.
    pub(super) fn end(
        &mut self,
        mut run: RequestedRun,
        ended: Option<Result<Ended, TargetError>>,
        sink: &mut dyn Sink,
    ) -> Result<Ended, TargetError> {
        run.decoder
            .give_shared_results(&mut self.thread, &mut |at, change| {
                let _over = sink.change(at, change);
            });
        if let Some(Ok(Ended::Terminal)) = ended
            && let Some(failure) = run.decoder.finish()
        {
            let _over = sink.change(run.decoder.last, Change::RunEnded(failure));
        }
        if let Some(remembered) = run.remembered {
            self.thread.recall(remembered);
        }
        match ended {
            // The run has ended; only its stream has not.
            None | Some(Ok(Ended::Timeout)) if run.decoder.is_ended() => Ok(Ended::Terminal),
            Some(ended) => ended,
            None => Ok(Ended::Cancelled),
        }
    }

    /// Makes the input of a run, and adds its messages to the history.
    fn input(
        &mut self,
        request: Request,
        purpose: RequestPurpose,
        run_id: &str,
    ) -> Result<Box<RawValue>, TargetError> {
        let ThreadState {
            thread_id,
            history,
            calls,
            user_message,
            state,
            legacy_interrupts,
            client_tools,
            ids,
            is_begun,
            ..
        } = &mut self.thread;
        let ConversationSettings {
            context,
            forwarded_props,
            last_only,
            version,
            ..
        } = &self.settings;
        history.discard_open();
        let mut new = Vec::new();
        let mut resume = Vec::new();
        let mut props = Cow::Borrowed(forwarded_props);
        let passed_on = request.context;
        if !passed_on.props.is_empty() {
            pass_on_over(props.to_mut(), passed_on.props);
        }
        if !passed_on.options.is_empty() {
            let options = props.get("options").cloned().unwrap_or_default();
            pass_on_over(props.to_mut(), with_options(options, passed_on.options));
        }
        let mut context = Cow::Borrowed(context.as_slice());
        if !passed_on.caller.is_empty() {
            context
                .to_mut()
                .extend(passed_on.caller.iter().map(ContextItem::from));
        }
        match &request.action {
            Action::User {
                message_id,
                content,
                ..
            } => {
                calls.start_turn();
                *user_message = Some(UserMessage {
                    id: message_id.clone(),
                    text: content.text().into_owned(),
                });
            }
            // A test with a turn of another protocol does not load.
            Action::Connect | Action::Continue | Action::Own { .. } => {
                calls.start_turn();
                *user_message = None;
            }
            Action::Resume(_) => {
                calls.continue_run();
                *user_message = None;
            }
            Action::ToolResults(answers) => {
                for answer in answers {
                    // The answer to a call of another tool lets the agent go on with it: its result is still to come.
                    let name = history.call(&answer.call).map(|call| &call.function.name);
                    if name.is_some_and(|name| client_tools.iter().any(|tool| tool.name == *name)) {
                        calls.answer_by_client(&answer.call);
                    }
                }
                calls.continue_run();
            }
        }
        match request.action {
            Action::User {
                message_id,
                name,
                content,
            } => {
                history.say(&message_id, name, Content::of(content, *version));
                new.push(message_id);
            }
            Action::Connect | Action::Continue | Action::Own { .. } => {}
            Action::ToolResults(answers) => {
                new.extend(
                    answers
                        .iter()
                        .map(|answer| history.answer_call(answer, &**ids)),
                );
            }
            Action::Resume(answers) if *legacy_interrupts => {
                props = Cow::Owned(with_command(&props, &answers));
            }
            Action::Resume(answers) => resume = answers,
        }
        let messages = match purpose {
            RequestPurpose::Connect => Messages::Only(history, &[]),
            // In the first run the agent does not know the history.
            RequestPurpose::Run if *last_only && std::mem::replace(is_begun, true) => {
                Messages::Only(history, &new)
            }
            RequestPurpose::Run => Messages::All(history),
        };
        let state = without_marks(state.value());
        let input = RunInput::new(
            thread_id,
            run_id,
            &state,
            messages,
            client_tools,
            &props,
            &resume,
        );
        to_raw_value(&input.of(*version).with_context(&context))
            .map_err(|failure| not_written(&failure))
    }
}

/// The error of a request that cannot be written as JSON.
pub(super) fn not_written(failure: &serde_json::Error) -> TargetError {
    TargetError::new(format!("the request cannot be written as JSON: {failure}"))
}
