//! The annotations and the summary of a run.

use std::io::{self, Write};

use super::annotation::{AnnotationKind, Annotations, line};
use super::{JobStep, step::MOST_SUMMARY};
use crate::report::file::markdown::MarkdownBuilder;
use crate::report::words::stability::{flip, rate};
use crate::report::words::walks::summary;
use crate::report::{Reporter, reporter::Stream};
use ananke_engine::run::RunEvent;
use ananke_trace::outcome::{
    NearName, Outcome, Problem, Quarantine, RuleResult, RuleStatus, Stability, Verdict,
};
use ananke_trace::redact::Sealed;

/// Reports to GitHub Actions.
pub struct GithubReport {
    out: Stream,
    step: JobStep,
    errors: Annotations,
    warnings: Annotations,
    summary: MarkdownBuilder,
}

impl GithubReport {
    /// A report of what runs in `step`; its annotations go to `out`, one of the streams of the program, of which the
    /// runner reads both.
    pub fn new(out: Box<dyn Write + Send>, step: JobStep) -> Self {
        Self {
            out: Stream::new(out),
            step,
            errors: Annotations::new(AnnotationKind::Error),
            warnings: Annotations::new(AnnotationKind::Warning),
            summary: MarkdownBuilder::new(usize::try_from(MOST_SUMMARY).unwrap_or(usize::MAX)),
        }
    }

    fn case(&mut self, outcome: &Outcome) {
        let Self {
            step,
            errors,
            warnings,
            ..
        } = self;
        let test = &outcome.test;
        let at = |kind, file: &str, at_line, message: &str| {
            let shown = step.file(file);
            let place = test.has_file(file).then_some((&*shown, at_line));
            line(kind, place, &test.id, message)
        };
        let at_test = |kind, message: &str| at(kind, &test.file, test.line, message);
        let at_rule = |kind, rule: &RuleResult| {
            let place = &rule.place;
            at(kind, &place.file, place.line, &finding(rule))
        };
        let of_walks = outcome.walks.as_deref().map(summary);
        let of_runs = outcome.stability.as_deref().map(rate).or(of_walks);
        match &outcome.test.quarantine {
            Some(entry) if outcome.status().fails_the_run() => {
                let why = outcome
                    .headline()
                    .map_or(outcome.status().as_str(), |(_, message)| message);
                warnings.add(std::iter::once(at_test(
                    AnnotationKind::Warning,
                    &format!("{entry}: {why}"),
                )));
            }
            None if outcome.status().fails_the_run() => {
                let problem = outcome.first_problem().map(
                    |(
                        _,
                        Problem {
                            kind: _,
                            message,
                            help,
                        },
                    )| {
                        let lines: Vec<&str> = [message.as_str()]
                            .into_iter()
                            .chain(help.as_deref())
                            .collect();
                        at_test(AnnotationKind::Error, &lines.join("\n"))
                    },
                );
                let rules = outcome
                    .all_failures()
                    .map(|(_, failure)| failure)
                    .chain(outcome.verdict.not_shown())
                    .map(|rule| at_rule(AnnotationKind::Error, rule));
                let rate = of_runs.map(|rate| at_test(AnnotationKind::Error, &rate));
                errors.add(rate.into_iter().chain(problem).chain(rules));
            }
            None if outcome.is_flaky() => {
                let before = outcome.earlier_attempts.last().and_then(Outcome::headline);
                let why = before
                    .map(|(_, message)| format!("; before: {message}"))
                    .unwrap_or_default();
                let message = format!("flaky: passed at attempt {}{why}", outcome.attempt());
                warnings.add(std::iter::once(at_test(AnnotationKind::Warning, &message)));
            }
            None => {
                let is_unstable = |stability: &&Stability| stability.failed > 0;
                let rate = outcome.stability.as_deref().filter(is_unstable).map(rate);
                let message = flip(outcome)
                    .into_iter()
                    .chain(rate)
                    .collect::<Vec<_>>()
                    .join("; ");
                if !message.is_empty() {
                    warnings.add(std::iter::once(at_test(AnnotationKind::Warning, &message)));
                }
            }
            Some(_) => {}
        }
    }

    fn expired(&mut self, entries: &[Quarantine]) {
        for Quarantine {
            test,
            owner,
            expires,
            place,
            ..
        } in entries
        {
            let message =
                format!("this entry of the quarantine expired: last day {expires}, owner {owner}");
            let file = self.step.file(&place.file);
            self.errors.add(std::iter::once(line(
                AnnotationKind::Error,
                Some((&file, place.line)),
                test,
                &message,
            )));
        }
    }

    fn near_names(&mut self, verdict: &Verdict) {
        let (kind, annotations) = if verdict.warnings_fail {
            (AnnotationKind::Error, &mut self.errors)
        } else {
            (AnnotationKind::Warning, &mut self.warnings)
        };
        for tool in &verdict.near_names.found {
            let place = (&*self.step.file(&tool.place.file), tool.place.line);
            let message = format!("{}: {}", tool.message(), tool.help());
            annotations.add(std::iter::once(line(
                kind,
                Some(place),
                NearName::CODE.as_str(),
                &message,
            )));
        }
    }
}

/// The error of a rule, in a few lines.
fn finding(result: &RuleResult) -> String {
    let RuleResult {
        message,
        expected,
        seen,
        level,
        rule,
        help,
        status,
        ..
    } = result;
    let mut lines = vec![match status {
        RuleStatus::NotShown => format!("not shown: {message}"),
        RuleStatus::Passed | RuleStatus::Failed => message.clone(),
    }];
    lines.extend((!expected.is_empty()).then(|| format!("expected: {expected}")));
    lines.extend(seen.first().map(|seen| format!("seen: {}", seen.text())));
    lines.push(format!("rule: {} rule {rule}", level.as_str()));
    lines.extend(help.clone());
    lines.join("\n")
}

impl Reporter for GithubReport {
    fn event(&mut self, event: &Sealed<RunEvent>) -> io::Result<()> {
        self.summary.add(event);
        match &**event {
            RunEvent::CaseFinished(outcome) => self.case(outcome),
            RunEvent::RunFinished(end) => {
                self.expired(&end.verdict.expired);
                self.near_names(&end.verdict);
            }
            _ => {}
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        let mut text = self.errors.text() + &self.warnings.text();
        if let Err(error) = self.step.append_summary(&self.summary) {
            // A summary that cannot be written does not fail the run.
            let message = format!("cannot write the summary of the job: {error}");
            text += &line(AnnotationKind::Warning, None, "ananke", &message);
        }
        self.out.print(&text)
    }
}
