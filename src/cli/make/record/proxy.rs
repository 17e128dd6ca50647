//! `ananke record --proxy`: the conversations of a front end with its agent, as tests with their recordings.

use std::io::{self, Write as _};
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ananke::context::{Context, Files};
use ananke::http_server::{AnsweredPages, HttpListener, ServerNotice};
use ananke::proxy::{
    ExchangeSpool, HeldAgain, OtherRequests, ProxiedAgent, ProxyCapture, ProxyServer, hold_again,
    proxied_agent,
};
use ananke::record::{HeldConversation, RecordRequest, record as record_conversations};
use ananke::{agents::http::Forwarder, plan::Plan, project::Variables, run::Stopper, text::escape};

use super::write;
use crate::cli::contact::Services;
use crate::cli::frame::{Colour, Exit, Failed, Signals, block_on};
use crate::cli::options::AccessOptions;
use crate::cli::output::{ForceOption, OutputFiles, Outputs, Screen, shown_path};

/// The recording of the requests that pass a port.
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
    pub(super) fn carry_out(&self) -> Result<Exit, Failed> {
        let output = OutputFiles::of(self.context, self.force);
        output.check_sources([self.request.file.as_path()], self.context)?;
        let outputs = Outputs::of_program(&Stopper::default());
        block_on(async {
            let mut signals = Signals::listen(self.context)?;
            let passed = self.pass(&mut signals, &outputs).await?;
            let written = tokio::select! {
                written = self.write(&passed, &outputs) => written,
                () = signals.next() => Err(Failed::Ended(Exit::Interrupted)),
            };
            let written = match written {
                Ok(Exit::Success) if !passed.is_torn_down => Ok(Exit::Failure),
                written => written,
            };
            if !matches!(written, Ok(Exit::Success))
                && let Some(path) = passed.capture.keep_spool()
            {
                let path = path.display();
                outputs
                    .stderr
                    .note(&format!("note: what passed is in `{path}`"));
                let _lost = outputs.stderr.finish();
            }
            written
        })?
    }

    /// Passes requests on until a signal comes.
    async fn pass(
        &self,
        signals: &mut Signals,
        outputs: &Outputs,
    ) -> Result<PassedRequests, Failed> {
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
        let files = as_they_are(&self.context.files);
        let services = Services::start(&mut plan, &context, stopper.token(), screen).await;
        let services = services.map_err(|_why| Failed::REPORTED)?;
        let spool = ExchangeSpool::create().map_err(|error| {
            Failed::new(format!(
                "what passes cannot be written among the temporary files: {error}"
            ))
        })?;
        let spooled = spool.path().to_owned();
        let capture = ProxyCapture::new(redactor.clone()).spooled(spool);
        let passed = tokio::select! {
            passed = self.serve(&context, &plan, &capture, &spooled, outputs) => passed,
            () = signals.next() => Ok(()),
        };
        let is_torn_down = services.stop(screen).await;
        passed?;
        let context = Context {
            files,
            ..self.context.clone()
        };
        Ok(PassedRequests {
            capture,
            variables: plan.variables,
            context,
            is_torn_down,
        })
    }

    /// Passes requests on; what passes is in the file `spooled`, which is said once something can pass.
    async fn serve(
        &self,
        context: &Context,
        plan: &Plan,
        capture: &ProxyCapture,
        spooled: &Path,
        outputs: &Outputs,
    ) -> Result<(), Failed> {
        let ProxiedAgent { endpoint, target } = proxied_agent(context, plan)?;
        capture.read_with(target);
        let place = ananke::agents::http::shown(&endpoint);
        let has_credentials = !endpoint.username().is_empty() || endpoint.query().is_some();
        let pages = if has_credentials {
            AnsweredPages::Nobodys
        } else {
            AnsweredPages::OfThisMachine
        };
        let forwarder = Forwarder::new(endpoint).map_err(Failed::new)?;
        let listener = HttpListener::bind(IpAddr::V4(Ipv4Addr::LOCALHOST), self.port).await;
        let listener = listener.map_err(|error| {
            let message = format!("cannot listen on port {}: {error}", self.port);
            Failed::new(message).help("choose another port, or 0 for one that is free")
        })?;
        // The program that started the proxy waits for its address.
        writeln!(outputs.stdout.clone(), "http://{}", listener.address())?;
        outputs.stdout.finish()?;
        outputs.stderr.note(&format!(
            "note: until the tests are written, what passed is in `{}`",
            spooled.display()
        ));
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
    async fn write(&self, passed: &PassedRequests, outputs: &Outputs) -> Result<Exit, Failed> {
        let request = self.request_of_now(outputs);
        let PassedTests { tests, is_complete } = self.hold(passed, &request, outputs).await?;
        outputs.stderr.finish()?;
        if tests.is_empty() && !is_complete {
            return Ok(Exit::Failure);
        }
        if tests.is_empty() {
            let help = "let the front end talk to the address that was printed, in a protocol that ananke knows";
            let message = "no conversation has passed: nothing was written";
            return Err(Failed::new(message).help(help));
        }
        let file = record_conversations(&passed.context, &request, tests).await?;
        let exit = match write(&file, outputs, self.context) {
            Ok(exit) => exit,
            Err(error) => {
                // The conversations cannot be held with the client once more, so their tests are written next to what passed.
                let Some(spool) = passed.capture.keep_spool() else {
                    return Err(error);
                };
                let folder = spool.with_extension("tests");
                create_private(&folder)?;
                let shown = folder.display().to_string();
                say_error(&format!("{error}: what passed is in `{shown}`"), outputs)?;
                write(&file.moved_to(&folder), outputs, self.context)?;
                Exit::Failure
            }
        };
        Ok(if is_complete { exit } else { Exit::Failure })
    }

    /// Holds the conversations that passed again, each as a test.
    async fn hold(
        &self,
        passed: &PassedRequests,
        request: &RecordRequest,
        outputs: &Outputs,
    ) -> Result<PassedTests, Failed> {
        let (conversations, secrets) = (passed.capture.take(), passed.capture.secrets());
        // Tests of one file have different names, so that several conversations are numbered.
        let is_only = conversations.len() == 1;
        let mut tests = Vec::new();
        let mut is_complete = name_others(&passed.capture.take_others(), outputs)?;
        for (conversation, number) in conversations.into_iter().zip(1..) {
            let name = if is_only {
                self.name.clone()
            } else {
                format!("{} {number}", self.name)
            };
            let held = hold_again(
                &passed.context,
                request,
                &name,
                &passed.variables,
                &secrets,
                conversation,
            );
            // One conversation that cannot be written does not keep the others from it.
            let HeldAgain { mut held, ends } = match held.await {
                Ok(again) => again,
                Err(error) => {
                    is_complete = false;
                    say_error(
                        &format!("the test `{name}` is not written: {error}"),
                        outputs,
                    )?;
                    continue;
                }
            };
            let problem = held.problem.take().map(|problem| problem.message);
            let turns = held.inputs.len();
            if let Some(why) = problem.or(ends) {
                is_complete = false;
                let what = if turns == 0 {
                    "is not written".to_owned()
                } else {
                    format!("ends after {turns} turns")
                };
                say_error(&format!("the test `{name}` {what}: {why}"), outputs)?;
            }
            if turns > 0 {
                tests.push((name, held));
            }
        }
        Ok(PassedTests { tests, is_complete })
    }

    /// The request to record, with the file that is written now: one that was made meanwhile stays, and another is written. A config
    /// that was changed meanwhile is named.
    fn request_of_now(&self, outputs: &Outputs) -> RecordRequest {
        let mut request = self.request.clone();
        let output = OutputFiles::of(self.context, self.force);
        let mut number = 2;
        while output
            .check_sources([request.file.as_path()], self.context)
            .is_err()
        {
            request.file = numbered(&self.request.file, number);
            number += 1;
        }
        if number > 2 {
            let file = shown_path(&request.file, self.context);
            outputs.stderr.note(&format!(
                "note: the file of the tests was made meanwhile, and stays: writing `{file}`"
            ));
        }
        if let Err(error) = request.blank_test(self.context, &self.name, &[]) {
            outputs.stderr.note(&format!(
                "warning: the config was changed meanwhile, and the tests are made with what it was: {error}"
            ));
        }
        request
    }
}

/// The requests that have passed, and everything that is needed to make tests of them.
struct PassedRequests {
    capture: ProxyCapture,
    /// The variables of the project.
    variables: Variables,
    /// The outside world, with the files as they were when the recording began.
    context: Context,
    /// Set if the servers of the project ended as they should.
    is_torn_down: bool,
}

/// The conversations that passed, as tests.
struct PassedTests {
    /// The name and the conversation of each.
    tests: Vec<(String, HeldConversation)>,
    /// Whether each conversation is a test as a whole.
    is_complete: bool,
}

/// Names requests that are in no test. `false` if one of them seems to be a turn.
fn name_others(others: &[OtherRequests], outputs: &Outputs) -> io::Result<bool> {
    let mut is_complete = true;
    for other in others {
        let OtherRequests {
            place,
            request,
            count,
        } = other;
        let times = if *count == 1 {
            String::new()
        } else {
            format!(" ({count} times)")
        };
        // Health checks and pages pass too, and are only noted. A turn that is in no test is an error, because the tests are incomplete.
        let line = format!("`{place}`{times} is in no test: {}", request.reason);
        if request.is_turn {
            is_complete = false;
            say_error(&line, outputs)?;
        } else {
            outputs.stderr.note(&format!("note: {line}"));
        }
    }
    Ok(is_complete)
}

fn say_error(error: &str, outputs: &Outputs) -> io::Result<()> {
    let line = format!("error: {error}");
    writeln!(outputs.stderr.clone(), "{}", escape::terminal(&line))
}

/// The files that have been read, with what is in them now, whatever happens to them.
fn as_they_are(files: &Files) -> Files {
    let mut kept = files.clone();
    for path in files.opened() {
        if let Ok(text) = std::fs::read(&path) {
            kept = kept.with_unsaved(path, text);
        }
    }
    kept
}

/// Creates a directory that only this user can read.
fn create_private(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// The path of a test file with a number: `shop-2.test.yaml`.
fn numbered(path: &Path, number: usize) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (stem, extension) = name.split_once('.').unwrap_or((&name, "test.yaml"));
    path.with_file_name(format!("{stem}-{number}.{extension}"))
}
