//! The size of findings: texts that quote an agent are truncated where they are too long to be read.
//!
//! A transcript is truncated when it is taken from the trace; this is about the findings, which quote ids, names and
//! messages of any length. **Invariant:** a truncated text says how much of it is missing.

use std::borrow::Cow;

use super::{
    EvidenceLine, InputDecision, JudgeAnswer, Outcome, Problem, RuleResult, Ruling, TestEnd,
    TestVerdict, TurnOutcome,
};
use crate::redact::excerpt;
use ananke_base::text::truncate;

/// The longest text of an agent, or of a finding about it, that a report gets, in bytes.
const LONGEST: usize = 16 << 10;

/// `text`, or of a long one the first bytes and how many more there are; a secret across the end is masked whole.
pub fn bounded(text: &str) -> String {
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(LONGEST);
    excerpt(text, 0..end) + &truncate::missing(text.len() - end)
}

/// The bounded text of `bytes`. Agents send valid UTF-8 almost always, and to check that takes a tenth of the time of a lossy
/// conversion.
pub fn bounded_bytes(bytes: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(bytes) {
        Ok(text) if text.len() <= LONGEST => Cow::Borrowed(text),
        Ok(text) => bounded(text).into(),
        Err(_) => bounded(&String::from_utf8_lossy(bytes)).into(),
    }
}

impl Outcome {
    /// Truncates findings and expectations that are too long to be read.
    pub fn bound(&mut self) {
        self.transcript
            .turns
            .iter_mut()
            .for_each(TurnOutcome::bound);
        let TestVerdict {
            end,
            rules,
            silenced: _,
            judges_not_asked: _,
            denied_warnings: _,
            warnings,
            snapshots: _,
        } = &mut self.verdict;
        match end {
            TestEnd::Evaluated => {}
            TestEnd::Problem(problem) => problem.bound(),
            TestEnd::Skipped(_, reason) => bound(reason),
        }
        rules.iter_mut().for_each(RuleResult::bound);
        warnings.iter_mut().for_each(bound);
        let failed_runs = self
            .stability
            .iter_mut()
            .flat_map(|stability| &mut stability.failures);
        failed_runs.for_each(|failed| bound(&mut failed.message));
    }
}

impl TurnOutcome {
    fn bound(&mut self) {
        self.end.problem_mut().into_iter().for_each(Problem::bound);
        self.rules.iter_mut().for_each(RuleResult::bound);
        self.warnings.iter_mut().for_each(bound);
        if let Some(InputDecision { question, hint, .. }) = &mut self.awaits {
            question.iter_mut().chain(hint).for_each(bound);
        }
    }
}

impl RuleResult {
    fn bound(&mut self) {
        self.ruling.iter_mut().for_each(Ruling::bound);
        let Self {
            message,
            written,
            expected,
            seen,
            found,
            help,
            differences,
            ..
        } = self;
        let differences = differences.iter_mut().flat_map(|difference| {
            difference
                .actual
                .iter_mut()
                .chain([&mut difference.expected])
        });
        [message, written, expected]
            .into_iter()
            .chain(seen.iter_mut().map(EvidenceLine::text_mut))
            .chain(found)
            .chain(help)
            .chain(differences)
            .for_each(bound);
    }
}

impl Ruling {
    fn bound(&mut self) {
        for JudgeAnswer {
            reason,
            suggestions,
            ..
        } in &mut self.answers
        {
            [reason].into_iter().chain(suggestions).for_each(bound);
        }
    }
}

impl Problem {
    fn bound(&mut self) {
        [&mut self.message]
            .into_iter()
            .chain(&mut self.help)
            .for_each(bound);
    }
}

/// Truncates what was masked before.
fn bound(text: &mut String) {
    if let Cow::Owned(truncated) = truncate::bytes(text, LONGEST) {
        *text = truncated;
    }
}
