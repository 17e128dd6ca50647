//! The number of runs of each test: that of the command line, else of the test, else of the config.

use ananke_base::diagnostic::{Code, Diagnostic, Span, Spanned};
use ananke_base::statistics::{Percentage, SequentialTest};
use ananke_model::model::{BrokenProhibitions, Percent, Short, TestRuns, Text};
use ananke_model::variables::Interpolation;
use ananke_trace::outcome::RunPolicy;

/// The number of runs of a test, as a test or the config gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunCount {
    /// So often; at least once.
    Times(u32),
    /// Until it is decided.
    UntilDecided(SequentialTest),
}

/// The number of runs of every test, as the command line gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GivenRuns {
    /// So often; at least once.
    Times(u32),
    /// Until it is decided, by what the test or the config says, or by default.
    UntilDecided,
}

/// The number of runs of each test in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunCounts {
    /// The number on the command line.
    pub given: Option<GivenRuns>,
    /// The number in the config.
    pub of_config: Option<RunCount>,
    /// The least share of a fixed number of runs that has to pass (default: all).
    pub min_pass_rate: Option<Percentage>,
    /// The weight of runs that break a prohibition, as the config says it (default: one fails its test).
    pub prohibitions: Option<BrokenProhibitions>,
}

impl RunCounts {
    /// The number of runs of a test that gives `own`; `None` for a single run, which may be retried.
    pub fn policy(&self, own: Option<RunCount>) -> Option<RunPolicy> {
        let written = own.or(self.of_config);
        let count = match self.given {
            Some(GivenRuns::Times(runs)) => RunCount::Times(runs),
            Some(GivenRuns::UntilDecided) => match written {
                Some(RunCount::UntilDecided(test)) => RunCount::UntilDecided(test),
                Some(RunCount::Times(_)) | None => RunCount::UntilDecided(SequentialTest::DEFAULT),
            },
            None => written?,
        };
        match count {
            RunCount::Times(0 | 1) => None,
            RunCount::Times(runs) => {
                let min_pass_rate = self.min_pass_rate.unwrap_or(Percentage::ALL);
                Some(RunPolicy::Times {
                    runs,
                    min_pass_rate,
                })
            }
            RunCount::UntilDecided(test) => Some(RunPolicy::UntilDecided(test)),
        }
    }
}

impl RunCount {
    /// Checks and fills a `runs`; `None` if something was reported.
    pub(crate) fn fill(
        written: &Spanned<Short<TestRuns>>,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        let TestRuns {
            count,
            good,
            bad,
            error,
            max,
        } = &*written.value;
        let is_sequential = good.is_some() || bad.is_some() || error.is_some() || max.is_some();
        match count {
            Some(count) if is_sequential => {
                let help = "use `count` alone, or `good`, `bad`, `error` and `max`".to_owned();
                let message = "`count` cannot be combined with the keys of a sequential test";
                interpolation.report(Code::Contradiction, count.span, message, Some(help));
                None
            }
            Some(count) => interpolation
                .number_within(count, TestRuns::COUNT)
                .ok()
                .map(Self::Times),
            None if !is_sequential => {
                let help =
                    "write the number of runs, or `good`, `bad`, `error` and `max`".to_owned();
                interpolation.report(
                    Code::EmptyValue,
                    written.span,
                    "`runs` does not say how often",
                    Some(help),
                );
                None
            }
            None => {
                let default = SequentialTest::DEFAULT;
                let shares = [
                    (good, default.good),
                    (bad, default.bad),
                    (error, default.error),
                ];
                let [good, bad, error] = shares.map(|(written, default)| match written {
                    Some(written) => percentage(written, interpolation),
                    None => Some(default),
                });
                let max =
                    interpolation.number_or(max.as_ref(), TestRuns::MAX, TestRuns::DEFAULT_MAX);
                let test = SequentialTest {
                    good: good?,
                    bad: bad?,
                    error: error?,
                    max: max.ok()?,
                };
                checked(test, &written.value, written.span, interpolation).map(Self::UntilDecided)
            }
        }
    }
}

/// Reads a percentage; `None` if it was reported.
pub(super) fn percentage(
    written: &Spanned<Percent>,
    interpolation: &mut Interpolation<'_>,
) -> Option<Percentage> {
    let text = Text {
        value: written.value.0.clone(),
        span: written.span,
    };
    let text = interpolation.text(&text).ok()?;
    let read = Percentage::parse(&text);
    read.map_err(|message| interpolation.report(Code::BadValue, written.span, message, None))
        .ok()
}

/// A sequential test that can distinguish its rates; `None` if it was reported.
fn checked(
    test: SequentialTest,
    written: &TestRuns,
    whole: Span,
    interpolation: &mut Interpolation<'_>,
) -> Option<SequentialTest> {
    let SequentialTest {
        good,
        bad,
        error,
        max,
    } = test;
    let span =
        |written: &Option<Spanned<Percent>>| written.as_ref().map_or(whole, |written| written.span);
    if error == Percentage::NONE || error >= Percentage::whole(50) {
        let message = format!("`error` is {error}; it must be above 0% and below 50%");
        interpolation.report(Code::BadValue, span(&written.error), message, None);
        return None;
    }
    if bad == Percentage::NONE {
        interpolation.report(
            Code::BadValue,
            span(&written.bad),
            "`bad` must be above 0%",
            None,
        );
        return None;
    }
    if good <= bad {
        let message = format!("`good` ({good}) must be above `bad` ({bad})");
        let help =
            "`good` is the rate of an agent that should pass, `bad` that of one that should fail"
                .to_owned();
        let place = written
            .good
            .as_ref()
            .or(written.bad.as_ref())
            .map_or(whole, |written| written.span);
        interpolation.report(Code::Contradiction, place, message, Some(help));
        return None;
    }
    let least = test.least_to_pass();
    if max < least {
        let place = written.max.as_ref().map_or(whole, |max| max.span);
        let message =
            format!("the test can never pass: {max} runs are fewer than the {least} that it needs");
        let warning = Diagnostic::warning(Code::NeverDecided, message);
        let warning = interpolation.at(warning, place);
        interpolation.add(warning.help(format!(
            "raise `max` to {least} or more, or put `good` and `bad` further apart"
        )));
    }
    Some(test)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        for (given, test, of_config, policy) in [
            (None, None, None, None),
            (None, None, Some(RunCount::Times(3)), Some(times(3))),
            (
                None,
                Some(RunCount::Times(5)),
                Some(RunCount::Times(3)),
                Some(times(5)),
            ),
            (
                None,
                Some(RunCount::Times(1)),
                Some(RunCount::Times(3)),
                None,
            ),
            (
                Some(GivenRuns::Times(2)),
                Some(RunCount::UntilDecided(own)),
                None,
                Some(times(2)),
            ),
            (
                Some(GivenRuns::Times(1)),
                Some(RunCount::Times(5)),
                None,
                None,
            ),
            (
                Some(GivenRuns::UntilDecided),
                Some(RunCount::UntilDecided(own)),
                None,
                Some(decided(own)),
            ),
            (
                Some(GivenRuns::UntilDecided),
                None,
                Some(RunCount::UntilDecided(own)),
                Some(decided(own)),
            ),
            (
                Some(GivenRuns::UntilDecided),
                Some(RunCount::Times(5)),
                None,
                Some(decided(SequentialTest::DEFAULT)),
            ),
        ] {
            let counts = RunCounts {
                given,
                of_config,
                ..RunCounts::default()
            };
            assert_eq!(
                counts.policy(test),
                policy,
                "{given:?} {test:?} {of_config:?}"
            );
        }
    }
}
