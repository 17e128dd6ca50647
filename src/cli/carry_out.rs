//! Everything that a planned run does: servers, setup, tests, reports, teardown.

use std::io::{self, Write as _};
use std::sync::Arc;
use std::time::Duration;

use ananke::agents::Transport;
use ananke::agents::http::HttpTransport;
use ananke::compare::{Baseline, Coverage};
use ananke::context::Context;
use ananke::coverage::CoverageCollector;
use ananke::mutation::NoticedByRules;
use ananke::observed::ObservedConversations;
use ananke::outcome::{EarlierStatuses, RunFacts};
use ananke::plan::Plan;
use ananke::process::{TerminalMode, Typing};
use ananke::recording::Recordings;
use ananke::redact::Redactor;
use ananke::report::history::{RunHistory, run_name};
use ananke::report::{Reporter as _, blocking_deliver};
use ananke::run::{ActivityReports, Options, People, Reason, Run, event_channel, run as run_plan};
use ananke::text::escape;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::baseline::baseline_report;
use super::custom_reporter::CustomReporter;
use super::exit::Exit;
use super::failed_walks::{self, FailedWalks};
use super::interrupt;
use super::kept_runs::{self, kept_count};
use super::last_run;
use super::measured_run::MeasuredRun;
use super::outputs::Outputs;
use super::recording_options::check_writable;
use super::report_options::ReportOptions;
use super::reporters::{LiveDisplay, Reporters, note_earlier_reports, reporters, usual_durations};
use super::run_options::RunOptions;
use super::runtime::runtime;
use super::screen::Screen;
use super::servers;
use super::services::Services;
use super::terminal_person::TerminalPerson;

/// The number of outcomes that may wait for the reports.
const OUTCOMES_AHEAD: usize = 64;

/// The time that reports may take to be written once the run is interrupted.
const PATIENCE: Duration = Duration::from_secs(5);

/// Everything that a run needs but its tests.
pub(super) struct PlannedRun<'a> {
    pub(super) options: &'a RunOptions,
    pub(super) going: Options,
    pub(super) recordings: Option<Recordings>,
    pub(super) baseline: Option<Baseline>,
    pub(super) reporter: Option<CustomReporter>,
    pub(super) context: &'a Context,
    pub(super) redactor: &'a Redactor,
    /// Takes what the tests exercise of the agent, if that is asked for.
    pub(super) measured: Option<Arc<MeasuredRun>>,
    /// The conversations that were held before, if they are verified.
    pub(super) observed: Option<Arc<dyn ObservedConversations>>,
    /// Collects the walks that fail.
    pub(super) walks: FailedWalks,
    /// The facts of the run.
    pub(super) facts: RunFacts,
    /// Whether all tests of the project run.
    pub(super) coverage: Coverage,
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

impl PlannedRun<'_> {
    /// Runs the tests of `plan` and reports them.
    ///
    /// # Errors
    /// If a report cannot be written, or the system has no room for a run.
    pub(super) fn carry_out(self, mut plan: Plan) -> io::Result<Exit> {
        let Self {
            options,
            going,
            context,
            redactor,
            recordings,
            baseline,
            reporter,
            measured,
            walks,
            observed,
            facts,
            coverage: selected,
            ..
        } = self;
        let colour = options.selection.color;
        let (sender, receiver) = event_channel(OUTCOMES_AHEAD);
        let own_context = Context {
            environment: Arc::clone(&plan.environment),
            ..context.clone()
        };
        let transport: Arc<dyn Transport> = Arc::new(HttpTransport::new(context.clock.clone()));
        let (plan_redactor, own_transport) = (plan.redactor.clone(), Arc::clone(&transport));
        let mut shared = Run::new(
            own_context.clone(),
            own_transport,
            plan_redactor.clone(),
            going,
            sender,
        );
        shared.facts = facts;
        let is_live =
            observed.is_none() && !options.again && servers::is_live(&plan, recordings.as_ref());
        let is_remembered =
            observed.is_none() && !options.again && kept_runs::can_remember(&plan.config.folder);
        let has_history = is_remembered && is_live;
        shared.failed_walks = failed_walks::kept(recordings.as_ref(), &plan.config.folder, context);
        let keep = has_history.then(|| kept_count(&plan, context));
        let keep = keep.unwrap_or_default();
        if let Some(measured) = &measured {
            let facts = redactor.seal(shared.facts.clone());
            measured.facts.get_or_init(|| facts);
        }
        let coverage = measured.map(|measured| Arc::clone(&measured.collector));
        set_observers(&mut shared, recordings, coverage, observed);
        let (stopper, mode) = (shared.stopper.clone(), Arc::new(TerminalMode::now()));
        let outputs = Outputs::of_program(&stopper);
        if options.again {
            kept_runs::evaluate_again(&plan, &mut shared)?;
        }
        let name = run_name(context.unix_ms());
        let kept = kept_runs::begin(&plan, &name, keep, &shared.facts, context, &outputs);
        let has_person = may_ask(&plan, going.people) && context.has_person();
        shared.person = has_person.then(|| TerminalPerson::shared(&outputs, &stopper, &mode));
        let keeping = kept.as_ref().map(|(report, _)| report.keeping());
        let reports = ReportOptions {
            keeping: keeping.unwrap_or_default(),
            ..options.reports.clone()
        };
        // What a person types would be written over.
        let display = if has_person {
            LiveDisplay::Off
        } else {
            LiveDisplay::On
        };
        let Reporters {
            mut reporters,
            live,
        } = reporters(&reports, &plan, colour, context, &outputs, display, || {
            let history = has_history.then(|| RunHistory::read(&plan.config.folder));
            usual_durations(&history.unwrap_or_default(), &plan, redactor)
        })?;
        let remembered = Some(&plan).filter(|_| has_history);
        shared.earlier = earlier_statuses(baseline.as_ref(), remembered, redactor);
        shared
            .recordings
            .as_ref()
            .map_or(Ok(()), |recordings| check_writable(recordings, &plan))?;
        if let Some(reporter) = &reporter {
            reporters.push(Box::new(reporter.collect(context)?));
        }
        // First, since a report that is written to a pipe waits for its reader.
        if is_remembered {
            let stderr = outputs.stderr.clone();
            let memory = last_run::memory(&plan, selected, context, redactor, stderr);
            reporters.insert(0, Box::new(memory));
        }
        if has_history {
            reporters.push(Box::new(kept_runs::history(&plan, name, &outputs)));
        }
        if let Some((report, store)) = kept {
            shared.attempts = Some(Arc::new(store));
            // Before those that print whether it is kept.
            reporters.insert(0, Box::new(report));
        }
        reporters.push(Box::new(walks));
        let people = options.reports.people();
        reporters.extend(
            baseline
                .map(|known| baseline_report(known, selected, people, colour, context, &outputs)),
        );
        if live.is_some() {
            shared.options.activity = ActivityReports::On;
        }
        // A key that is shown would move the area.
        let _typing = live.as_ref().map(|_| mode.set(Typing::Hidden));
        let (area, streams) = (live.clone(), outputs.clone());
        interrupt::listen(stopper.clone(), context, move || {
            // What cannot be shown any more is lost: the program ends.
            mode.restore();
            let _lost = area.map(|area| Box::new(area).finish());
            let _lost = streams.finish();
        })?;
        let verdict = runtime()?.block_on(async {
            let screen = Screen {
                live: live.as_ref(),
                is_quiet: options.reports.quiet,
                colour,
                context,
                redactor,
                outputs: &outputs,
            };
            let services = if is_live {
                Services::start(&mut plan, &own_context, stopper.token(), screen).await
            } else {
                Ok(Services::default())
            };
            let services = services.unwrap_or_else(|why| {
                // Every test is reported: none of them can run.
                stopper.wind_down(Reason::NotStarted);
                shared.not_started = Some(why);
                Services::default()
            });
            shared.servers = services.watch();
            let reporter = reporter.filter(|_| stopper.reason().is_none());
            let helper = reporter.as_ref().map(|reporter| reporter.prepare(&plan, &own_context));
            let helper = match helper.transpose() {
                Ok(helper) => helper,
                Err(problems) => {
                    screen.print_problems(&problems);
                    services.stop(screen).await;
                    note_earlier_reports(&options.reports, context);
                    return Ok(None);
                }
            };
            let asked = reporter.zip(helper);
            let delivered = spawn_blocking(move || blocking_deliver(receiver, reporters));
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
                    Some((reporter, helper)) => {
                        reporter.write(&helper, &own_context, &transport, &plan_redactor, &stopper).await
                    }
                    None => Ok(()),
                }
            };
            let ended = services.stop(screen);
            // A reporter can be behind a server of the config. A file that takes nothing holds up nothing else.
            let (delivered, is_torn_down) =
                if is_asked { (delivered.await, ended.await) } else { tokio::join!(delivered, ended) };
            delivered.map(|()| Some(verdict).filter(|_| is_torn_down))
        });
        let verdict = verdict.and_then(|verdict| outputs.finish().map(|()| verdict));
        if stopper.reason() == Some(Reason::Interrupted) {
            verdict
                .err()
                .inspect(|error| say_error(error, &outputs, redactor));
            return Ok(Exit::Interrupted);
        }
        Ok(verdict?.map_or(Exit::Failure, |verdict| Exit::of(&verdict)))
    }
}

/// The statuses that a run is compared with: those of the baseline, or those that the project of `remembered` has in its history.
fn earlier_statuses(
    baseline: Option<&Baseline>,
    remembered: Option<&Plan>,
    redactor: &Redactor,
) -> EarlierStatuses {
    let of_history = |plan: &Plan| kept_runs::last_statuses_of(plan, redactor);
    let of_history = || remembered.map(of_history).unwrap_or_default();
    baseline.map_or_else(of_history, Baseline::statuses)
}

/// Sets the observers of a run, and the recordings and answers that it reads instead of asking an agent.
fn set_observers(
    shared: &mut Run,
    recordings: Option<Recordings>,
    coverage: Option<Arc<CoverageCollector>>,
    observed: Option<Arc<dyn ObservedConversations>>,
) {
    if coverage.is_some() {
        shared.mutator = Some(Arc::new(NoticedByRules));
    }
    (shared.recordings, shared.coverage, shared.observed) = (recordings, coverage, observed);
}
