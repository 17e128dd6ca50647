//! One conversation in AG-UI over any transport: makes the input of each run, and takes its result.

use serde_json::value::{RawValue, to_raw_value};

use super::conversation_settings::ConversationSettings;
use super::decoder::Decoder;
use super::event_reader::AguiEvents;
use super::request::{Messages, RunInput, add_command, forwarded_props, with_callers};
use super::run_state::RequestPurpose;
use super::thread_state::{NewInput, SavedThread, ThreadState};
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
        let events_before = request.events_before;
        let run_id = self.thread.ids.next("run");
        let input = self.input(request, purpose, &run_id)?;
        let remembered = (purpose == RequestPurpose::Connect).then(|| self.thread.forget());
        let decoder = Decoder::new(run_id, purpose, events_before, &self.settings);
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
        let settings = &self.settings;
        let NewInput {
            messages: new,
            answers,
        } = self.thread.take(request.action, settings.version);
        let thread = &mut self.thread;
        let passed_on = request.context;
        let context = with_callers(&settings.context, &passed_on.caller);
        let own = &settings.forwarded_props;
        let mut props = forwarded_props(own, passed_on.props, passed_on.options);
        let resume = match answers {
            Some(answers) if thread.legacy_interrupts => {
                add_command(props.to_mut(), &answers);
                Vec::new()
            }
            answers => answers.unwrap_or_default(),
        };
        let messages = match purpose {
            RequestPurpose::Connect => Messages::Only(&thread.history, &[]),
            // In the first run the agent does not know the history.
            RequestPurpose::Run
                if settings.last_only && std::mem::replace(&mut thread.is_begun, true) =>
            {
                Messages::Only(&thread.history, &new)
            }
            RequestPurpose::Run => Messages::All(&thread.history),
        };
        let state = without_marks(thread.state.as_sent());
        let input = RunInput::new(
            &thread.thread_id,
            run_id,
            &state,
            messages,
            &thread.client_tools,
            &props,
            &resume,
        );
        to_raw_value(&input.of(settings.version).with_context(&context))
            .map_err(|failure| not_written(&failure))
    }
}

/// The error of a request that cannot be written as JSON.
pub(super) fn not_written(failure: &serde_json::Error) -> TargetError {
    TargetError::new(format!("the request cannot be written as JSON: {failure}"))
}
