//! ananke: a test runner for tool-using AI agents. YAML scenarios go in, a deterministic verdict comes out.
//!
//! # The way of the data
//!
//! ```text
//! file ──► model ──► plan ──► run ──► outcome ──► report
//! ```
//!
//! | step | modules | what happens there |
//! |---|---|---|
//! | file | `source` | bytes become a tree in which every key and value has its place |
//! | model | `schema`, `model` | the tree becomes the types that mirror the YAML, or a list of problems |
//! | plan | `project`, `compile`, `assertion`, `variables`, `plan` | the config, the tests and their rules are read, checked and selected |
//! | run | `run`, `conversation`, `agents`, `trace`, `hook`, `server`, `recording` | tests are scheduled; a session of a target holds the conversation, and the rules watch its trace |
//! | outcome | `outcome`, `redact`, `golden` | what happened in a test, bounded in size and without secrets |
//! | report | `report`, `compare` | the terminal, files and CI servers; comparisons of two runs |
//!
//! `context` is the outside world that all of them are given, `diagnostic` what a user can fix, `text`, `message` and
//! `process` what several of them need. A module uses only modules before it; `ARCHITECTURE.md` has the map.
//!
//! **Invariant:** what the end of this file lists is promised, and nothing else; the protocols are installed before anything
//! is read.
//!
//! # Check text that is not saved
//!
//! A [`Workspace`] checks a file as an editor holds it:
//!
//! ```
//! use ananke::{Context, Workspace};
//!
//! let folder = tempfile::tempdir()?;
//! let config = "version: \"1.4\"\ntarget: { type: scripted, rules: [{ do: [{ say: Hello }] }] }\n";
//! std::fs::write(folder.path().join("ananke.config.yaml"), config)?;
//!
//! let workspace = Workspace::new(Context::isolated(folder.path()));
//! let unsaved = "version: \"1.4\"\nnmae: greets\nturns: [{ user: Hi }]\n";
//! let problems = workspace.check(&folder.path().join("greets.test.yaml"), unsaved);
//!
//! assert_eq!(problems[0].to_string(), "greets.test.yaml:2:1: error[unknown-key]: unknown key `nmae`");
//! assert_eq!(problems[0].fixes[0].text, "name");
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # Run tests and read what came of them
//!
//! [`plan()`] finds and checks the tests of a project, [`run()`] runs them and sends [`RunEvent`]s:
//!
//! ```
//! use std::sync::Arc;
//!
//! use ananke::{Context, HttpTransport, Redactor, Run, RunEvent, RunOptions, Selection, Status, event_channel, plan, run};
//!
//! # let folder = tempfile::tempdir()?;
//! # let config = "version: \"1.4\"\ntarget: { type: scripted, rules: [{ do: [{ say: Hello }] }] }\n";
//! # std::fs::write(folder.path().join("ananke.config.yaml"), config)?;
//! # let test = "version: \"1.4\"\nname: greets\nturns: [{ user: Hi, assert: { text: { contains: Hello } } }]\n";
//! # std::fs::write(folder.path().join("greets.test.yaml"), test)?;
//! // The folder has a config with a scripted agent, which says Hello, and one test, which expects that.
//! let context = Context::isolated(folder.path());
//! let redactor = Redactor::default();
//! let planned = plan(&context, &Selection::default(), &redactor);
//! assert!(planned.problems.is_empty());
//! let plan = planned.plan.expect("without an error there is a plan");
//! assert_eq!(plan.cases[0].id(), "greets.test.yaml::greets");
//!
//! let (events, mut received) = event_channel(64);
//! let transport = Arc::new(HttpTransport::new(context.clock.clone()));
//! let shared = Run::new(context, transport, redactor, RunOptions::default(), events);
//! # let runtime = tokio::runtime::Runtime::new()?;
//! # let verdict = runtime.block_on(async {
//! let running = tokio::spawn(run(shared, plan));
//! while let Some(event) = received.recv().await {
//!     if let RunEvent::CaseFinished(outcome) = &*event {
//!         assert_eq!(outcome.status(), Status::Passed);
//!         assert_eq!(outcome.transcript.turns[0].input, "Hi");
//!     }
//! }
//! let verdict = running.await?;
//! # Ok::<_, tokio::task::JoinError>(verdict)
//! # })?;
//! assert!(verdict.is_pass());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Write a report
//!
//! [`create_report`] makes a [`Reporter`] of any [`ReportFormat`], and [`deliver`] gives it the events of a run:
//!
//! ```
//! use std::path::Path;
//!
//! use ananke::{FileOptions, Outcome, Redactor, ReportFormat, Reporter, RunEvent, create_report};
//!
//! let folder = tempfile::tempdir()?;
//! let file = folder.path().join("report.md");
//! let format = ReportFormat::of(&file).expect("the extension of Markdown");
//! let mut report = create_report(format, &file, &FileOptions::default())?;
//!
//! // Only a redactor seals what a report is given.
//! let redactor = Redactor::default();
//! report.event(&redactor.seal(RunEvent::RunStarted { tests: 0, unix_ms: 0, facts: Box::default() }))?;
//! report.finish()?;
//! assert!(std::fs::read_to_string(&file)?.starts_with("<!-- ananke -->"));
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # Features
//!
//! `cli` (default) builds the command `ananke` and brings three others: `junit`, the format JUnit and with it all XML,
//! `html`, the HTML report, and `json-schema`, rules with a JSON Schema. Without its feature, a format stays known to a config, but
//! cannot be created, and a rule with a schema is an error. `testing` (default) is the module of the same name, for Rust tests.

#[doc(hidden)]
pub mod plan;
mod protocols;
#[cfg(feature = "testing")]
pub mod testing;
mod workspace;

// What is not listed here is no promise: the command and the tests of this package use it.
#[doc(hidden)]
pub use ananke_a2a as a2a;
#[doc(hidden)]
pub use ananke_agents as agents;
#[cfg(feature = "mock")]
#[doc(hidden)]
pub use ananke_agents::http_server;
#[doc(hidden)]
pub use ananke_agui as agui;
#[doc(hidden)]
pub use ananke_aisdk as aisdk;
pub use ananke_anthropic as anthropic;
#[doc(hidden)]
pub use ananke_base::{context, diagnostic, message, reduction, source, statistics, text};
#[doc(hidden)]
pub use ananke_conversation as conversation;
#[doc(hidden)]
pub use ananke_conversation::{helper, observed};
#[doc(hidden)]
pub use ananke_lab::{LabError, freeze, mutation, promptfoo, record, shrink};
#[cfg(feature = "json-schema")]
#[doc(hidden)]
pub use ananke_lab::{audit, contract};
#[cfg(feature = "mock")]
#[doc(hidden)]
pub use ananke_lab::{mock, proxy};
#[doc(hidden)]
pub use ananke_mcp as mcp;
#[doc(hidden)]
pub use ananke_model::{model, schema, settings, variables};
#[doc(hidden)]
pub use ananke_openai as openai;
#[doc(hidden)]
pub use ananke_openai::program_target;
#[doc(hidden)]
pub use ananke_plan::{cases, compile, project};
#[doc(hidden)]
pub use ananke_provider as provider;
#[doc(hidden)]
pub use ananke_recording as recording;
#[doc(hidden)]
pub use ananke_report::{compare, report, run_document};
#[doc(hidden)]
pub use ananke_responses as responses;
#[doc(hidden)]
pub use ananke_rules as assertion;
#[doc(hidden)]
pub use ananke_run as run;
#[doc(hidden)]
pub use ananke_run::{coverage, hook, server};
#[doc(hidden)]
pub use ananke_trace::{golden, outcome, process, redact, trace};
#[doc(hidden)]
pub use ananke_verify as verify;
#[doc(hidden)]
pub use protocols::install;

#[doc(inline)]
pub use ananke_agents::Transport;
#[doc(inline)]
pub use ananke_agents::http::HttpTransport;
#[doc(inline)]
pub use ananke_base::context::{
    At, Clock, Context, Environment, Files, Ids, ManualClock, RandomIds, SequentialIds,
    SystemClock, TerminalSize,
};
#[doc(inline)]
pub use ananke_base::diagnostic::{
    Code, Diagnostic, Edit, Label, Place, Severity, SourceFile, Span, apply,
};
#[doc(inline)]
pub use ananke_model::model::ReportFormat;
#[doc(inline)]
pub use ananke_plan::project::{Config, Variables};
#[cfg(feature = "junit")]
#[doc(inline)]
pub use ananke_report::report::file::junit::JunitProfile;
#[doc(inline)]
pub use ananke_report::report::file::{FileOptions, FileReport, create_report};
#[doc(inline)]
pub use ananke_report::report::{Reporter, deliver};
#[doc(inline)]
pub use ananke_run::{
    EventReceiver, EventSender, Options as RunOptions, Reason, Run, Stopper, event_channel, run,
};
pub use ananke_trace::outcome::RunEvent;
#[doc(inline)]
pub use ananke_trace::outcome::{
    CallFailure, CallOutcome, ComparedValue, EarlierMessage, ErrorKind, EvidenceLine,
    FailureReason, Gap, LateResult, Level, OpenInterrupt, Outcome, Problem, Quarantine,
    ReportedRunEnd, RuleResult, RuleStatus, RunClose, SnapshotWritten, Status, TestEnd,
    TestIdentity, TestVerdict, TimeLimits, Timing, Totals, Transcript, TranscriptLine, TurnEnd,
    TurnOutcome, ValueDifference, Verdict,
};
#[doc(inline)]
pub use ananke_trace::redact::{Mask, Redactor, Sealed};
#[doc(inline)]
pub use plan::{CaseEntry, Filter, FilterError, Plan, Planned, Selection, TestEntry, plan};
#[doc(inline)]
pub use workspace::Workspace;

/// The way to models that are other programs: `ask` gets the lane of a question, the messages and the tools. What is for others
/// goes over `network`.
#[doc(hidden)]
pub fn program_transport(
    network: std::sync::Arc<dyn Transport>,
    clock: std::sync::Arc<dyn context::Clock>,
    ask: ananke_openai::ModelFunction,
) -> std::sync::Arc<dyn Transport> {
    let transport = ananke_openai::ProgramTransport::new(network, clock, ask);
    std::sync::Arc::new(transport)
}
