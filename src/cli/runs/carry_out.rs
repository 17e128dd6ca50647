//! Everything that a planned run does: servers, setup, tests, reports, teardown. Its conversations may be measured.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ananke::Verdict;
use ananke::agents::http::HttpTransport;
use ananke::audit::lint_tools;
use ananke::compare::{Baseline, Coverage};
use ananke::context::Context;
use ananke::coverage::CoverageCollector;
use ananke::mutation::NoticedByRules;
use ananke::observed::ObservedConversations;
use ananke::outcome::{EarlierStatuses, RunFacts};
use ananke::plan::Plan;
use ananke::process::{TerminalMode, Typing};
use ananke::recording::Recordings;
use ananke::redact::{Redactor, Sealed};
use ananke::report::history::{HistoryReport, RunHistory, RunKind};
use ananke::report::{Reporter, deliver};
use ananke::run::{
    ConversationOrigin, CoverageTap, EventReceiver, EventSender, LiveAnswers, Options, People,
    Reason, Run, RunAnswers, event_channel, run as run_plan,
};
use ananke::text::escape;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use crate::cli::contact::{Services, TerminalPerson, services};
use crate::cli::frame::{Exit, Failed, block_on, interrupt};
use crate::cli::options::{ReportOptions, RunOptions, check_writable};
use crate::cli::output::{OutputFiles, OutputKind, Outputs, Screen};
use crate::cli::reporting::{
    CustomReporter, FailedWalks, LiveDisplay, Reporters, baseline_report, failed_walks, kept_count,
    kept_runs, note_earlier_reports, reporters, usual_durations,
};

/// The number of outcomes that may wait for the reports.
const OUTCOMES_AHEAD: usize = 64;

/// The time that reports may take to be written once the run is interrupted.
const PATIENCE: Duration = Duration::from_secs(5);

/// Everything that a run needs but its tests.
pub(super) struct PlannedRun<'a> {
    pub(crate) options: &'a RunOptions,
    pub(crate) run_options: Options,
    pub(crate) recordings: Option<Recordings>,
    pub(crate) baseline: Option<Baseline>,
    pub(crate) reporter: Option<CustomReporter>,
    pub(crate) context: &'a Context,
    pub(crate) redactor: &'a Redactor,
    /// Takes what the tests exercise of the agent, if that is asked for.
    pub(super) measured: Option<Arc<MeasuredRun>>,
    /// The conversations that were held before, if they are verified.
    pub(super) observed: Option<Arc<dyn ObservedConversations>>,
    /// Collects the walks that fail.
    pub(crate) walks: FailedWalks,
    /// The facts of the run.
    pub(crate) facts: RunFacts,
    /// Whether all tests of the project run.
    pub(crate) coverage: Coverage,
}

/// Whether a test may ask a person.
fn may_ask(plan: &Plan, people: People) -> bool {
    match people {
        People::OfTest => plan.cases.iter().any(|case| case.test.asks_person),
        People::Asked => true,
        People::LeftOut => false,
    }
}

/// Says why an interrupted run did not end as it should.
fn say_error(error: &io::Error, outputs: &Outputs, redactor: &Redactor) {
    let mut stderr = outputs.stderr.clone();
    let _lost = writeln!(
        stderr,
        "error: {}",
        escape::terminal(&redactor.text(&error.to_string()))
    );
    let _lost = stderr.finish();
}

/// The part of a run in the memory of its project: what it takes from earlier ones, and leaves for later ones.
#[derive(Clone, Copy, Debug)]
struct RunMemory {
    /// Whether its agents are asked.
    is_live: bool,
    /// Its kind in the history of the project; `None` if it has no part in it.
    kind: Option<RunKind>,
}

impl RunMemory {
    /// Whether it is kept, and compared with the runs before: its agents are asked, and it has a part in the history.
    fn has_history(self) -> bool {
        self.kind.is_some_and(RunKind::is_live)
    }
}

/// The events of a run, and those that report them.
struct RunReports {
    events: EventReceiver,
    reporters: Vec<Box<dyn Reporter>>,
    /// The reporter of the project, if there is one.
    custom: Option<CustomReporter>,
}

impl PlannedRun<'_> {
    /// Runs the tests of `plan` and reports them.
    ///
    /// # Errors
    /// If a report cannot be written, or the system has no room for a run; masked.
    pub(crate) fn carry_out(self, plan: Plan) -> Result<Exit, Failed> {
        let redactor = self.redactor;
        let ended = self.try_carry_out(plan);
        ended.map_err(|failed| failed.masked(redactor))
    }

    fn try_carry_out(mut self, plan: Plan) -> Result<Exit, Failed> {
        let (context, redactor) = (self.context, self.redactor);
        if let Some(measured) = &self.measured {
            let files = measured.files.iter();
            let files = files.map(|(path, kind)| (path.as_path(), *kind));
            OutputFiles::of(context, self.options.reports.force).check_named(files, context)?;
        }
        let (sender, events) = event_channel(OUTCOMES_AHEAD);
        let mut shared = self.shared(&plan, sender);
        let memory = self.memory(&plan);
        if self.options.again {
            kept_runs::evaluate_again(&plan, &mut shared)?;
        }
        let (stopper, mode) = (shared.stopper.clone(), Arc::new(TerminalMode::now()));
        let outputs = Outputs::of_program(&stopper);
        if may_ask(&plan, self.run_options.people) && context.has_person() {
            shared.person = Some(TerminalPerson::shared(&outputs, &stopper, &mode));
        }
        let is_live = memory.is_live;
        let Reporters { reporters, live } = self.reporters(&plan, &mut shared, memory, &outputs)?;
        // A key that is shown would move the area.
        let _typing = live.as_ref().map(|_| mode.set(Typing::Hidden));
        let (area, streams) = (live.clone(), outputs.clone());
        interrupt::listen(stopper.clone(), context, move || {
            // What cannot be shown any more is lost: the program ends.
            mode.restore();
            let _lost = area.map(|area| Box::new(area).finish());
            let _lost = streams.finish();
        })?;
        let reporting = RunReports {
            events,
            reporters,
            custom: self.reporter.take(),
        };
        let screen = Screen {
            live: live.as_ref(),
            is_quiet: self.options.reports.quiet,
            colour: self.options.selection.color,
            context,
            redactor,
            outputs: &outputs,
        };
        let verdict = block_on(async {
            let (mut plan, mut shared) = (plan, shared);
            let services = if is_live {
                start_services(&mut plan, &mut shared, screen).await
            } else {
                Services::default()
            };
            self.execute(plan, shared, services, reporting, screen)
                .await
        })?;
        // What was printed is written also if a report is not.
        let finished = outputs.finish();
        let verdict = verdict.and_then(|verdict| finished.map(|()| verdict));
        if stopper.reason() == Some(Reason::Interrupted) {
            verdict
                .err()
                .inspect(|error| say_error(error, &outputs, redactor));
            return Ok(Exit::Interrupted);
        }
        Ok(verdict?.map_or(Exit::Failure, |verdict| Exit::of(&verdict)))
    }

    /// The context of the tests of `plan`, whose events go to `events`.
    fn shared(&self, plan: &Plan, events: EventSender) -> Run {
        let context = Context {
            environment: Arc::clone(&plan.environment),
            ..self.context.clone()
        };
        let transport = Arc::new(HttpTransport::new(context.clock.clone()));
        let redactor = plan.redactor.clone();
        let mut shared = Run::new(context, transport, redactor, self.run_options, events);
        shared.facts = self.facts.clone();
        shared.lint_tools = Some(lint_tools);
        shared.answers = match &self.recordings {
            Some(recordings) => RunAnswers::Recordings(recordings.clone()),
            None => RunAnswers::Live(LiveAnswers {
                attempts: None,
                failed_walks: Some(failed_walks::kept(&plan.config.folder, self.context)),
            }),
        };
        if let Some(observed) = &self.observed {
            shared.conversations = ConversationOrigin::Observed(Arc::clone(observed));
        }
        if let Some(measured) = &self.measured {
            let facts = self.redactor.seal(self.facts.clone());
            measured.facts.get_or_init(|| facts);
            shared.taps.push(Arc::new(CoverageTap {
                collector: Arc::clone(&measured.collector),
                mutator: Arc::new(NoticedByRules),
            }));
        }
        shared
    }

    fn memory(&self, plan: &Plan) -> RunMemory {
        let folder = &plan.config.folder;
        let asks = self.observed.is_none() && !self.options.again;
        let is_live = asks && services::is_live(plan, self.recordings.as_ref());
        if !asks || !kept_runs::can_remember(folder) {
            return RunMemory {
                is_live,
                kind: None,
            };
        }
        let mut cases = plan.cases.iter();
        let is_given = cases.any(|case| self.context.files.is_given(&case.test.path));
        let kind = match (is_live, is_given) {
            (true, false) => Some(RunKind::Agent),
            (true, true) => Some(RunKind::Given),
            (false, false) => Some(RunKind::Replay),
            (false, true) => None,
        };
        RunMemory { is_live, kind }
    }

    /// All that report the run, in the order in which they get its events.
    ///
    /// # Errors
    /// If a report or a recording cannot be written.
    fn reporters(
        &mut self,
        plan: &Plan,
        shared: &mut Run,
        memory: RunMemory,
        outputs: &Outputs,
    ) -> Result<Reporters, Failed> {
        let (context, redactor, colour) =
            (self.context, self.redactor, self.options.selection.color);
        let has_history = memory.has_history();
        let kept = has_history
            .then(|| kept_count(plan, context))
            .and_then(|keep| kept_runs::begin(plan, keep, &shared.facts, context, outputs));
        let keeping = kept.as_ref().map(|(report, _)| report.keeping());
        let told = plan.told.iter();
        let reports = ReportOptions {
            told: told
                .map(|warning| redactor.text(warning).into_owned())
                .collect(),
            keeping: keeping.unwrap_or_default(),
            ..self.options.reports.clone()
        };
        let Reporters {
            mut reporters,
            live,
        } = self.named_reporters(&reports, plan, shared, memory, outputs)?;
        shared.earlier = match &self.baseline {
            Some(baseline) => baseline.statuses(),
            None if has_history => kept_runs::last_statuses_of(plan, redactor),
            None => EarlierStatuses::default(),
        };
        if let Some(recordings) = shared.answers.recordings() {
            check_writable(recordings, plan)?;
        }
        if let Some(reporter) = &self.reporter {
            reporters.push(Box::new(reporter.collect(context)?));
        }
        if let Some(kind) = memory.kind {
            let mut run = kept_runs::beginning(plan, kind, self.coverage, redactor, context);
            run.kept = kept.as_ref().map(|(report, _)| report.file_name());
            // First, since a report that is written to a pipe waits for its reader.
            let warnings = Box::new(outputs.stderr.clone());
            let history = HistoryReport::begin(plan.config.folder.clone(), &run, warnings);
            reporters.insert(0, Box::new(history));
        }
        if let Some((report, store)) = kept {
            shared.answers.keep(Arc::new(store));
            // Before those that print whether it is kept.
            reporters.insert(0, Box::new(report));
        }
        reporters.push(Box::new(self.walks.clone()));
        let people = self.options.reports.people();
        reporters.extend(
            self.baseline.take().map(|known| {
                baseline_report(known, self.coverage, people, colour, context, outputs)
            }),
        );
        if live.is_some() {
            shared.options.activity = true;
        }
        Ok(Reporters { reporters, live })
    }

    /// The reporters of the terminal, and those of the files that are named.
    fn named_reporters(
        &self,
        reports: &ReportOptions,
        plan: &Plan,
        shared: &Run,
        memory: RunMemory,
        outputs: &Outputs,
    ) -> Result<Reporters, Failed> {
        // What a person types would be written over.
        let display = if shared.person.is_some() {
            LiveDisplay::Off
        } else {
            LiveDisplay::On
        };
        let colour = self.options.selection.color;
        let usual = || {
            let folder = &plan.config.folder;
            let history = if memory.has_history() {
                RunHistory::read(folder)
            } else {
                RunHistory::default()
            };
            usual_durations(&history, plan, self.redactor)
        };
        reporters(reports, plan, colour, self.context, outputs, display, usual)
    }

    /// Runs the tests, has them reported, and stops the services. `None` if there is no verdict on the whole: the reporter of
    /// the project cannot be asked, or a `teardown` failed.
    ///
    /// # Errors
    /// If a report cannot be written.
    async fn execute(
        &self,
        plan: Plan,
        shared: Run,
        services: Services,
        reporting: RunReports,
        screen: Screen<'_>,
    ) -> io::Result<Option<Verdict>> {
        let RunReports {
            events,
            reporters,
            custom,
        } = reporting;
        let (context, redactor) = (shared.context.clone(), shared.redactor.clone());
        let (stopper, transport) = (shared.stopper.clone(), Arc::clone(&shared.transport));
        let custom = custom.filter(|_| stopper.reason().is_none());
        let helper = custom
            .as_ref()
            .map(|custom| custom.prepare(&plan, &context));
        let helper = match helper.transpose() {
            Ok(helper) => helper,
            Err(problems) => {
                screen.print_problems(&problems);
                services.stop(screen).await;
                note_earlier_reports(&self.options.reports, self.context);
                return Ok(None);
            }
        };
        let asked = custom.zip(helper);
        let delivered = spawn_blocking(move || deliver(events, reporters));
        let verdict = run_plan(shared, plan).await;
        let interrupted = async {
            stopper.interrupted().await;
            sleep(PATIENCE).await;
        };
        let is_asked = asked.is_some();
        let delivered = async {
            tokio::select! {
                delivered = delivered => delivered.map_err(io::Error::other).flatten()?,
                () = interrupted => {
                    return Err(io::Error::other("the reports are not complete: a file takes nothing"));
                }
            }
            match asked {
                Some((custom, helper)) => {
                    custom
                        .write(&helper, &context, &transport, &redactor, &stopper)
                        .await
                }
                None => Ok(()),
            }
        };
        let ended = services.stop(screen);
        // A reporter can be behind a server of the config. A file that takes nothing holds up nothing else.
        let (delivered, is_torn_down) = if is_asked {
            (delivered.await, ended.await)
        } else {
            tokio::join!(delivered, ended)
        };
        delivered.map(|()| Some(verdict).filter(|_| is_torn_down))
    }
}

/// The services of a run whose agents are asked. If one cannot start, no test can, and every test is reported.
async fn start_services(plan: &mut Plan, shared: &mut Run, screen: Screen<'_>) -> Services {
    let context = shared.context.clone();
    let started = Services::start(plan, &context, shared.stopper.token(), screen).await;
    let services = started.unwrap_or_else(|why| {
        shared.stopper.wind_down(Reason::NotStarted);
        shared.not_started = Some(why);
        Services::default()
    });
    shared.servers = services.watch();
    shared.models = services.models().models().to_vec();
    shared.context.environment = Arc::clone(&plan.environment);
    services
}

/// The coverage of the agent by a run, and the facts of the run.
#[derive(Debug, Default)]
pub(super) struct MeasuredRun {
    /// Takes the conversations.
    pub(crate) collector: Arc<CoverageCollector>,
    /// The files that the coverage goes to.
    pub(crate) files: Vec<(PathBuf, OutputKind)>,
    /// The facts of the run, once it has begun.
    pub(crate) facts: OnceLock<Sealed<RunFacts>>,
}
