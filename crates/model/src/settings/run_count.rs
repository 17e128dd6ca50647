//! The number of runs of a test, as the test or the config gives it.

use crate::model::{Percent, Short, TestRuns, Text};
use crate::variables::Interpolation;
use ananke_base::diagnostic::{Code, Diagnostic, Span, Spanned};
use ananke_base::statistics::{Percentage, SequentialTest};

/// The number of runs of a test, as a test or the config gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunCount {
    /// So often; at least once.
    Times(u32),
    /// Until it is decided.
    UntilDecided(SequentialTest),
}

impl RunCount {
    /// Checks and fills a `runs`; `None` if something was reported.
    pub fn fill(
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
pub fn percentage(
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
