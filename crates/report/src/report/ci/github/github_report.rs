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
    NearName, Outcome, Quarantine, RuleResult, RuleStatus, Stability, Verdict,
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
        let lines = CaseLines {
            step: &self.step,
            outcome,
        };
        if outcome.status().fails_the_run() && outcome.test.quarantine.is_none() {
            self.errors.add(lines.errors());
        } else if let Some(message) = warning(outcome) {
            let line = lines.at_test(AnnotationKind::Warning, &message);
            self.warnings.add(std::iter::once(line));
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

/// The lines about one test.
#[derive(Clone, Copy)]
struct CaseLines<'a> {
    step: &'a JobStep,
    outcome: &'a Outcome,
}

impl CaseLines<'_> {
    fn at(self, kind: AnnotationKind, file: &str, at_line: u32, message: &str) -> String {
        let test = &self.outcome.test;
        let shown = self.step.file(file);
        let place = test.has_file(file).then_some((&*shown, at_line));
        line(kind, place, &test.id, message)
    }

    fn at_test(self, kind: AnnotationKind, message: &str) -> String {
        let test = &self.outcome.test;
        self.at(kind, &test.file, test.line, message)
    }

    /// An error for each thing that made the test fail; before them, how many of its runs failed.
    fn errors(self) -> impl Iterator<Item = String> {
        let outcome = self.outcome;
        let error = move |message: &str| self.at_test(AnnotationKind::Error, message);
        let of_walks = outcome.walks.as_deref().map(summary);
        let of_runs = outcome.stability.as_deref().map(rate).or(of_walks);
        let problem = outcome.first_problem().map(|(_, problem)| {
            let message = std::iter::once(problem.message.as_str());
            let lines: Vec<&str> = message.chain(problem.help.as_deref()).collect();
            error(&lines.join("\n"))
        });
        let failures = outcome.all_failures().map(|(_, failure)| failure);
        let rules = failures.chain(outcome.verdict.not_shown());
        let rules = rules.map(move |rule| {
            let place = &rule.place;
            let message = finding(rule);
            self.at(AnnotationKind::Error, &place.file, place.line, &message)
        });
        let of_runs = of_runs.map(|rate| error(&rate));
        of_runs.into_iter().chain(problem).chain(rules)
    }
}

/// The warning about a test that does not fail the run.
fn warning(outcome: &Outcome) -> Option<String> {
    match &outcome.test.quarantine {
        Some(entry) => outcome.status().fails_the_run().then(|| {
            let status = outcome.status().as_str();
            let why = outcome.headline().map_or(status, |(_, message)| message);
            format!("{entry}: {why}")
        }),
        None if outcome.is_flaky() => {
            let before = outcome.earlier_attempts.last().and_then(Outcome::headline);
            let why = before
                .map(|(_, message)| format!("; before: {message}"))
                .unwrap_or_default();
            let attempt = outcome.attempt();
            Some(format!("flaky: passed at attempt {attempt}{why}"))
        }
        None => {
            let is_unstable = |stability: &&Stability| stability.failed > 0;
            let rate = outcome.stability.as_deref().filter(is_unstable).map(rate);
            let parts: Vec<String> = flip(outcome).into_iter().chain(rate).collect();
            Some(parts.join("; ")).filter(|message| !message.is_empty())
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
