//! The settings with which tests run: those of the command line, over the config's `run`.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::config::Config;
use super::run_counts::{RunCount, RunCounts, percentage};
use super::variables::Variables;
use ananke_base::context::Context;
use ananke_base::diagnostic::{Code, Diagnostic};
use ananke_model::model::{
    FlakyVerdict, JunitDialect, Number, ProjectLimits, ReportedEvents, RunDefaults,
};
use ananke_model::variables::{Interpolation, Leaf, Mode};

/// The settings with which tests run; `None` is a setting that is not chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunSettings {
    /// The number of tests that run at once.
    pub parallel: Option<usize>,
    /// The timeout of one attempt at a test.
    pub timeout: Option<Duration>,
    /// The time that the rules of one test may compute.
    pub evaluation: Option<Duration>,
    /// The number of retries of a failing test.
    pub retries: Option<u32>,
    /// The number of runs of tests.
    pub runs: RunCounts,
    /// Whether every test runs twice, so that the suite is compared with itself.
    pub self_comparison: Option<bool>,
    /// Whether a retry may use the thread of the attempt before it.
    pub retry_dirty: Option<bool>,
    /// The verdict on tests that pass only on a retry.
    pub flaky: Option<FlakyVerdict>,
    /// Whether the run stops after the first failing test.
    pub fail_fast: Option<bool>,
    /// Whether a turn is aborted at the first violated rule.
    pub stop_early: Option<bool>,
    /// Whether a violation of the protocol fails its test.
    pub strict_protocol: Option<bool>,
    /// Whether warnings are errors.
    pub deny_warnings: Option<bool>,
    /// The dialect of JUnit reports.
    pub junit_profile: Option<JunitDialect>,
    /// The number of the last runs that are kept.
    pub keep: Option<usize>,
    /// The tests for which reports contain what was sent and received.
    pub events: Option<ReportedEvents>,
}

impl RunSettings {
    /// These, and those of `config` where these say nothing.
    #[must_use]
    pub fn over(self, config: Self) -> Self {
        Self {
            parallel: self.parallel.or(config.parallel),
            timeout: self.timeout.or(config.timeout),
            evaluation: self.evaluation.or(config.evaluation),
            retries: self.retries.or(config.retries),
            runs: RunCounts {
                // Retries of the command line take the place of the config's runs.
                of_config: config
                    .runs
                    .of_config
                    .filter(|_| self.retries.unwrap_or(0) == 0),
                given: self.runs.given,
                min_pass_rate: self.runs.min_pass_rate.or(config.runs.min_pass_rate),
                prohibitions: self.runs.prohibitions.or(config.runs.prohibitions),
            },
            self_comparison: self.self_comparison.or(config.self_comparison),
            retry_dirty: self.retry_dirty.or(config.retry_dirty),
            flaky: self.flaky.or(config.flaky),
            fail_fast: self.fail_fast.or(config.fail_fast),
            stop_early: self.stop_early.or(config.stop_early),
            strict_protocol: self.strict_protocol.or(config.strict_protocol),
            deny_warnings: self.deny_warnings.or(config.deny_warnings),
            junit_profile: self.junit_profile.or(config.junit_profile),
            keep: self.keep.or(config.keep),
            events: self.events.or(config.events),
        }
    }

    /// Whether a test that says `own` of its runs may have several attempts, each of which needs a new thread.
    pub(crate) fn needs_new_threads(&self, own: Option<RunCount>) -> bool {
        let is_retried =
            self.retries.is_some_and(|retries| retries > 0) || self.self_comparison == Some(true);
        (is_retried || self.runs.policy(own).is_some()) && self.retry_dirty != Some(true)
    }
}

impl Config {
    /// The settings of `run` and `limits`; what is wrong with them goes to `problems`.
    pub(crate) fn run_settings(
        &self,
        context: &Context,
        variables: &Variables,
        problems: &mut Vec<Diagnostic>,
    ) -> RunSettings {
        let scope = variables.scope(context);
        let mut interpolation = Interpolation::new(&scope, &self.source, Mode::Send, problems);
        let limits = self.model.limits.as_ref();
        let evaluation = limits.and_then(|limits| {
            let written = limits.evaluation_ms.as_ref()?;
            interpolation
                .number_within(written, ProjectLimits::EVALUATION_MS)
                .ok()
        });
        let run = self.model.run.as_ref();
        RunSettings {
            evaluation: evaluation.map(Duration::from_millis),
            events: self.model.report.as_ref().and_then(|report| report.events),
            ..run.map_or_else(RunSettings::default, |written| {
                RunSettings::of(written, &mut interpolation)
            })
        }
    }
}

impl RunSettings {
    /// The settings of `run`; what is wrong with them is reported.
    fn of(written: &RunDefaults, interpolation: &mut Interpolation<'_>) -> Self {
        let mut flag =
            |flag: &Option<_>| flag.as_ref().and_then(|flag| interpolation.flag(flag).ok());
        let flags = Self {
            retry_dirty: flag(&written.retry_dirty),
            fail_fast: flag(&written.fail_fast),
            stop_early: flag(&written.stop_early),
            strict_protocol: flag(&written.strict_protocol),
            deny_warnings: flag(&written.deny_warnings),
            ..Self::default()
        };
        let mut number = |written: &Option<Number>, range: RangeInclusive<u64>| {
            let number: Leaf<u64> = interpolation.number_within(written.as_ref()?, range);
            number.ok()
        };
        let parallel = number(&written.parallel, RunDefaults::PARALLEL);
        let timeout = number(&written.timeout_ms, 1..=u64::MAX).map(Duration::from_millis);
        let keep = number(&written.keep, RunDefaults::KEEP);
        let retries = number(&written.retries, RunDefaults::RETRIES);
        let runs = RunCounts {
            given: None,
            of_config: written
                .runs
                .as_ref()
                .and_then(|runs| RunCount::fill(runs, interpolation)),
            min_pass_rate: written
                .min_pass_rate
                .as_ref()
                .and_then(|rate| percentage(rate, interpolation)),
            prohibitions: written.prohibitions,
        };
        if let (Some(1..), Some(_), Some(written)) = (retries, runs.policy(None), &written.retries)
        {
            let message = "`retries` cannot be combined with `runs`: a retry would hide what the runs measure";
            let help = Some("remove one of them".to_owned());
            interpolation.report(Code::Contradiction, written.span, message, help);
        }
        Self {
            parallel: parallel.and_then(|count| usize::try_from(count).ok()),
            timeout,
            retries: retries.and_then(|count| u32::try_from(count).ok()),
            runs,
            flaky: written.flaky,
            junit_profile: written.junit_profile,
            keep: keep.and_then(|count| usize::try_from(count).ok()),
            ..flags
        }
    }
}
