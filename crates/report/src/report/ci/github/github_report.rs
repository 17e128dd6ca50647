//! The annotations and the summary of a run.

use std::collections::HashMap;
use std::io::{self, Write};

use super::annotation::{AnnotationKind, Annotations, line};
use super::{JobStep, step::MOST_SUMMARY};
use crate::report::document::counted;
use crate::report::file::markdown::MarkdownBuilder;
use crate::report::words::stability::{flip, rate};
use crate::report::words::walks::summary;
use crate::report::{Reporter, reporter::Stream};
use ananke_trace::outcome::{
    CountedStatus, FailureReason, NearName, Outcome, Quarantine, RuleResult, RuleStatus, RunEvent,
    Specimen, Stability, TestFinding, Verdict,
};
use ananke_trace::redact::Sealed;

/// Reports to GitHub Actions.
pub struct GithubReport {
    out: Stream,
    step: JobStep,
    /// What is wrong apart from tests.
    errors: Annotations,
    warnings: Annotations,
    /// The first finding of each cause, line by line.
    firsts: HashMap<FailureReason, Vec<String>>,
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
            firsts: HashMap::new(),
            summary: MarkdownBuilder::new(usize::try_from(MOST_SUMMARY).unwrap_or(usize::MAX)),
        }
    }

    fn case(&mut self, outcome: &Outcome) {
        if outcome.fails_the_run() {
            for finding in outcome.findings() {
                let is_cause = self.summary.causes().get(&finding.reason).is_some();
                if is_cause && !self.firsts.contains_key(&finding.reason) {
                    let lines = lines(&finding, outcome);
                    self.firsts.insert(finding.reason, lines);
                }
            }
        } else if let Some(message) = warning(outcome) {
            let test = &outcome.test;
            let file = self.step.file(&test.file);
            let place = test.has_file(&test.file).then_some((&*file, test.line));
            let line = line(AnnotationKind::Warning, place, &test.id, &message);
            self.warnings.add(line);
        }
    }

    /// An annotation for each cause, at its first finding; the cause of the most tests first.
    fn causes(&self) -> Annotations {
        let mut annotations = Annotations::new(AnnotationKind::Error);
        for cause in self.summary.causes().largest_first() {
            let Specimen {
                id,
                file,
                line: at_line,
                has_file,
                ..
            } = &cause.specimen;
            let first = self.firsts.get(&cause.reason);
            let mut lines = first.cloned().unwrap_or_default();
            let mut title = id.clone();
            if cause.tests > 1 {
                let others = counted(cause.tests - 1, "more test");
                title = format!("{title} and {others}");
                // The values of the first test are those of no other.
                if !lines.iter().any(|line| line.starts_with(&cause.sentence)) {
                    lines.insert(0, cause.sentence.clone());
                }
            }
            let file = self.step.file(file);
            let place = has_file.then_some((&*file, *at_line));
            let message = lines.join("\n");
            annotations.add(line(AnnotationKind::Error, place, &title, &message));
        }
        annotations
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
            let place = Some((&*file, place.line));
            self.errors
                .add(line(AnnotationKind::Error, place, test, &message));
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
            annotations.add(line(kind, Some(place), NearName::CODE.as_str(), &message));
        }
    }
}

/// A finding in lines, with the result of the runs of its test.
fn lines(finding: &TestFinding<'_>, outcome: &Outcome) -> Vec<String> {
    let mut lines = match finding.rule {
        Some(rule) => of_rule(rule),
        None => of_problem(outcome),
    };
    let of_walks = outcome.walks.as_deref().map(summary);
    lines.extend(outcome.stability.as_deref().map(rate).or(of_walks));
    lines
}

/// The problem for which a test could not be evaluated, with what to do.
fn of_problem(outcome: &Outcome) -> Vec<String> {
    let Some((_, problem)) = outcome.first_problem() else {
        return Vec::new();
    };
    let lines = std::iter::once(&problem.message).chain(&problem.help);
    lines.cloned().collect()
}

/// The warning about a test that does not fail the run.
fn warning(outcome: &Outcome) -> Option<String> {
    match outcome.counted() {
        CountedStatus::Quarantined(entry) => {
            let status = outcome.status().as_str();
            let why = outcome.headline().map_or(status, |(_, message)| message);
            Some(format!("{entry}: {why}"))
        }
        CountedStatus::As(_) if outcome.test.quarantine.is_some() => None,
        CountedStatus::Flaky => {
            let before = outcome.earlier_attempts.last().and_then(Outcome::headline);
            let why = before
                .map(|(_, message)| format!("; before: {message}"))
                .unwrap_or_default();
            let attempt = outcome.attempt();
            Some(format!("flaky: passed at attempt {attempt}{why}"))
        }
        CountedStatus::As(_) => {
            let is_unstable = |stability: &&Stability| stability.failed > 0;
            let rate = outcome.stability.as_deref().filter(is_unstable).map(rate);
            let parts: Vec<String> = flip(outcome).into_iter().chain(rate).collect();
            Some(parts.join("; ")).filter(|message| !message.is_empty())
        }
    }
}

/// The error of a rule, in a few lines.
fn of_rule(result: &RuleResult) -> Vec<String> {
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
    lines
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
        let errors = self.causes().and(&self.errors);
        let mut text = errors.text() + &self.warnings.text();
        if let Err(error) = self.step.append_summary(&self.summary) {
            // A summary that cannot be written does not fail the run.
            let message = format!("cannot write the summary of the job: {error}");
            text += &line(AnnotationKind::Warning, None, "ananke", &message);
        }
        self.out.print(&text)
    }
}
