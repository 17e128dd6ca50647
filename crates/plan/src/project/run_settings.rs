//! The settings with which tests run: those of the command line, over the config's.

use std::time::Duration;

use super::config::Config;
use super::variables::Variables;
use ananke_base::context::Context;
use ananke_base::diagnostic::{Code, Diagnostic};
use ananke_base::statistics::SequentialTest;
use ananke_model::model::{ProjectLimits, ReportedEvents};
use ananke_model::settings::{GivenSettings, RunCount, RunDefaults, RunSettings};
use ananke_model::variables::{Interpolation, Mode};
use ananke_trace::outcome::RunPolicy;

/// The settings that the command line gives, and those of `config` that it does not give.
pub(crate) fn settings_over(given: GivenSettings, mut config: GivenSettings) -> GivenSettings {
    // Retries of the command line take the place of the config's runs, with which they cannot be combined.
    if given.retries.unwrap_or(0) > 0 {
        config.runs = None;
    }
    given.or(config)
}

/// The runs of a test that says `own` of them; `None` for a single run, which may be retried. The command line is above the
/// test, and the test above the config.
pub fn run_policy(settings: &RunSettings, own: Option<RunCount>) -> Option<RunPolicy> {
    let written = own.or(settings.runs);
    let count = match (settings.given_runs, written) {
        (Some(runs), _) => RunCount::Times(runs),
        (None, Some(RunCount::UntilDecided(test))) => RunCount::UntilDecided(test),
        (None, _) if settings.runs_until_decided => RunCount::UntilDecided(SequentialTest::DEFAULT),
        (None, written) => written?,
    };
    match count {
        RunCount::Times(0 | 1) => None,
        RunCount::Times(runs) => Some(RunPolicy::Times {
            runs,
            min_pass_rate: settings.min_pass_rate,
        }),
        RunCount::UntilDecided(test) => Some(RunPolicy::UntilDecided(test)),
    }
}

/// Whether a test that says `own` of its runs may have several attempts, each of which needs a new thread.
pub(crate) fn needs_new_threads(settings: &RunSettings, own: Option<RunCount>) -> bool {
    let is_retried = settings.retries > 0 || settings.self_comparison;
    (is_retried || run_policy(settings, own).is_some()) && !settings.retry_dirty
}

impl Config {
    /// The settings of `run`, and those that are keys of `limits` and `report`; what is wrong with them goes to `problems`.
    pub(crate) fn run_settings(
        &self,
        context: &Context,
        variables: &Variables,
        problems: &mut Vec<Diagnostic>,
    ) -> GivenSettings {
        let scope = variables.scope(context);
        let mut interpolation = Interpolation::new(&scope, &self.source, Mode::Send, problems);
        let limits = self.model.limits.as_ref();
        let evaluation = limits.and_then(|limits| {
            let written = limits.evaluation_ms.as_ref()?;
            interpolation
                .number_within(written, ProjectLimits::EVALUATION_MS)
                .ok()
        });
        let mut settings = GivenSettings::default();
        if let Some(run) = &self.model.run {
            settings = run.given(&mut interpolation);
            refuse_retries_of_runs(run, settings, &mut interpolation);
        }
        settings.evaluation = evaluation.map(Duration::from_millis);
        let events = self.model.report.as_ref().and_then(|report| report.events);
        settings.events = Some(events.unwrap_or(ReportedEvents::Failed));
        settings
    }
}

/// Reports `retries` together with `runs`, whose values are in `settings`.
fn refuse_retries_of_runs(
    written: &RunDefaults,
    settings: GivenSettings,
    interpolation: &mut Interpolation<'_>,
) {
    let Some(retries) = &written.retries else {
        return;
    };
    let is_retried = settings.retries.unwrap_or(0) > 0;
    if is_retried && run_policy(&settings.effective(), None).is_some() {
        let message =
            "`retries` cannot be combined with `runs`: a retry would hide what the runs measure";
        let help = Some("remove one of them".to_owned());
        interpolation.report(Code::Contradiction, retries.span, message, help);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ananke_base::statistics::Percentage;

    #[test]
    #[expect(clippy::too_many_lines, reason = "one table of cases")]
    fn the_command_line_is_above_the_test_and_the_test_above_the_config() {
        let own = SequentialTest {
            max: 30,
            ..SequentialTest::DEFAULT
        };
        let times = |runs| RunPolicy::Times {
            runs,
            min_pass_rate: Percentage::ALL,
        };
        let decided = RunPolicy::UntilDecided;
        let none = GivenSettings::default();
        let given_times = |runs| GivenSettings {
            given_runs: Some(runs),
            ..none
        };
        let until_decided = GivenSettings {
            runs_until_decided: Some(true),
            ..none
        };
        for (given, test, of_config, policy) in [
            (none, None, None, None),
            (none, None, Some(RunCount::Times(3)), Some(times(3))),
            (
                none,
                Some(RunCount::Times(5)),
                Some(RunCount::Times(3)),
                Some(times(5)),
            ),
            (
                none,
                Some(RunCount::Times(1)),
                Some(RunCount::Times(3)),
                None,
            ),
            (
                given_times(2),
                Some(RunCount::UntilDecided(own)),
                None,
                Some(times(2)),
            ),
            (given_times(1), Some(RunCount::Times(5)), None, None),
            (
                until_decided,
                Some(RunCount::UntilDecided(own)),
                None,
                Some(decided(own)),
            ),
            (
                until_decided,
                None,
                Some(RunCount::UntilDecided(own)),
                Some(decided(own)),
            ),
            (
                until_decided,
                Some(RunCount::Times(5)),
                None,
                Some(decided(SequentialTest::DEFAULT)),
            ),
        ] {
            let settings = RunSettings {
                runs: of_config,
                ..given.effective()
            };
            assert_eq!(
                run_policy(&settings, test),
                policy,
                "{given:?} {test:?} {of_config:?}"
            );
        }
    }
}
