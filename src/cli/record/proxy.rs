//! `ananke record --proxy`: the conversations of a front end with its agent, as tests with their recordings.

use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use ananke::agents::http::Forwarder;
use ananke::context::Context;
use ananke::freeze::FreezeError;
use ananke::http_server::{AnsweredPages, HttpListener, ServerNotice};
use ananke::plan::Plan;
use ananke::project::Variables;
use ananke::proxy::{CapturedConversation, ProxyCapture, ProxyServer, endpoint, hold_again};
use ananke::record::{HeldConversation, RecordRequest, record as record_conversations};
use ananke::run::Stopper;
use ananke::text::escape;

use super::unrecorded::Unrecorded;
use super::write::write;
use crate::cli::access_options::AccessOptions;
use crate::cli::colour::Colour;
use crate::cli::exit::Exit;
use crate::cli::interrupt::Signals;
use crate::cli::output_files::{ForceOption, OutputFiles};
use crate::cli::outputs::Outputs;
use crate::cli::runtime::runtime;
use crate::cli::screen::Screen;
use crate::cli::services::Services;

/// What is recorded of the requests that pass a port.
pub(super) struct ProxyRecording<'a> {
    pub(super) request: RecordRequest,
    /// The name of the test; several are numbered.
    pub(super) name: String,
    pub(super) port: u16,
    pub(super) force: ForceOption,
    pub(super) access: AccessOptions,
    pub(super) colour: Colour,
    pub(super) context: &'a Context,
}

impl ProxyRecording<'_> {
    /// Serves until a signal comes, and writes what passed.
    pub(super) fn carry_out(&self) -> Result<Exit, Unrecorded> {
        let output = OutputFiles::of(self.context, self.force);
        output.check_sources([self.request.file.as_path()], self.context)?;
        let outputs = Outputs::of_program(&Stopper::default());
        runtime()?.block_on(async {
            let (capture, variables) = self.pass(&outputs).await?;
            self.write(&capture, &variables, &outputs).await
        })
    }

    /// Passes requests on until a signal comes: what passed, and the variables of the project.
    async fn pass(&self, outputs: &Outputs) -> Result<(ProxyCapture, Variables), Unrecorded> {
        let (mut plan, context) = self.request.blank_test(self.context, &self.name, &[])?;
        let context = Context {
            environment: Arc::clone(&plan.environment),
            ..context
        };
        let (redactor, stopper) = (plan.redactor.clone(), Stopper::default());
        let screen = Screen {
            live: None,
            is_quiet: false,
            colour: self.colour,
            context: &context,
            redactor: &redactor,
            outputs,
        };
        let mut signals = Signals::listen(&context)?;
        let services = Services::start(&mut plan, &context, stopper.token(), screen).await;
        let services = services.ok_or(Unrecorded::Reported(Exit::Failure))?;
        let capture = ProxyCapture::new(redactor.clone());
        let passed = tokio::select! {
            passed = self.serve(&context, &plan, &capture, outputs) => passed,
            () = signals.next() => Ok(()),
        };
        let is_torn_down = services.stop(screen).await;
        passed?;
        if is_torn_down {
            Ok((capture, plan.variables))
        } else {
            Err(Unrecorded::Reported(Exit::Failure))
        }
    }

    /// Passes requests on.
    async fn serve(
        &self,
        context: &Context,
        plan: &Plan,
        capture: &ProxyCapture,
        outputs: &Outputs,
    ) -> Result<(), Unrecorded> {
        let endpoint = endpoint(context, plan)?;
        let place = ananke::agents::http::shown(&endpoint);
        let has_credentials = !endpoint.username().is_empty() || endpoint.query().is_some();
        let pages = if has_credentials {
            AnsweredPages::Nobodys
        } else {
            AnsweredPages::OfThisMachine
        };
        let refused = |message: String| FreezeError::Refused {
            message,
            help: None,
        };
        let forwarder = Forwarder::new(endpoint).map_err(refused)?;
        let listener = HttpListener::bind(IpAddr::V4(Ipv4Addr::LOCALHOST), self.port).await;
        let listener = listener.map_err(|error| {
            let message = format!("cannot listen on port {}: {error}", self.port);
            FreezeError::refused(message, "choose another port, or 0 for one that is free")
        })?;
        // The program that started the proxy waits for its address.
        writeln!(outputs.stdout.clone(), "http://{}", listener.address())?;
        outputs.stdout.finish()?;
        outputs.stderr.note(&format!(
            "recording what passes to {place}; Ctrl-C ends it and writes the tests"
        ));
        let (stderr, redactor) = (outputs.stderr.clone(), plan.redactor.clone());
        let notice: ServerNotice = Arc::new(move |line| stderr.note(&redactor.text(line)));
        let server = ProxyServer::new(forwarder, capture.clone(), Arc::clone(&notice));
        let access = self.access.access(pages);
        listener.serve(Arc::new(server), access, notice).await;
        Ok(())
    }

    /// Writes tests of what passed.
    async fn write(
        &self,
        capture: &ProxyCapture,
        variables: &Variables,
        outputs: &Outputs,
    ) -> Result<Exit, Unrecorded> {
        let (conversations, secrets) = (capture.take(), capture.secrets());
        let is_only = conversations.len() == 1;
        let (mut tests, mut is_complete) = (Vec::new(), true);
        for (conversation, number) in conversations.into_iter().zip(1..) {
            let name = if is_only {
                self.name.clone()
            } else {
                format!("{} {number}", self.name)
            };
            let (conversation, ends) = self.held(&name, conversation, variables, &secrets).await?;
            let turns = conversation.inputs.len();
            if let Some(why) = ends {
                is_complete = false;
                let what = if turns == 0 {
                    "is not written".to_owned()
                } else {
                    format!("ends after {turns} turns")
                };
                let line = format!("error: the test `{name}` {what}: {why}");
                writeln!(outputs.stderr.clone(), "{}", escape::terminal(&line))?;
            }
            if turns > 0 {
                tests.push((name, conversation));
            }
        }
        outputs.stderr.finish()?;
        if tests.is_empty() {
            let help = "let the front end talk to the address that was printed, in a protocol that ananke knows";
            return Err(FreezeError::refused(
                "no conversation has passed: nothing was written",
                help,
            )
            .into());
        }
        let file = record_conversations(self.context, &self.request, tests).await?;
        let exit = write(&file, outputs, self.context)?;
        Ok(if is_complete { exit } else { Exit::Failure })
    }

    /// A conversation with its recording, and why it goes no further.
    async fn held(
        &self,
        name: &str,
        conversation: CapturedConversation,
        variables: &Variables,
        secrets: &[String],
    ) -> Result<(HeldConversation, Option<String>), Unrecorded> {
        let again = hold_again(
            self.context,
            &self.request,
            name,
            variables,
            secrets,
            conversation,
        )
        .await?;
        let mut held = again.held;
        let problem = held.problem.take().map(|problem| problem.message);
        Ok((held, problem.or(again.ends)))
    }
}
