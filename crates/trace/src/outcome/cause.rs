//! The causes of a run: findings of one reason, over all tests (SPEC 11).
//!
//! **Why:** Thirty tests that fail for one reason are one thing to do. Findings are grouped by a reason without the
//! values in them, because the values differ in each test; the sentence shows what they have in common.
//!
//! **Invariant:** memory grows with the causes, of which a limited number is kept, and not with the tests.

use indexmap::IndexMap;

use super::sentence::without_differing;
use super::{FailureReason, Outcome, RuleResult, Status};
use ananke_base::text::truncate;

/// The most causes of a run that are kept. A run with more has no common cause.
const MOST: usize = 500;

/// The most bytes of a sentence.
const LONGEST: usize = 1000;

/// What several findings have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommonCause {
    /// The key that they share.
    pub reason: FailureReason,
    /// The finding, with `…` for the values that differ.
    pub sentence: String,
    /// The number of findings.
    pub findings: usize,
    /// The number of tests that have one.
    pub tests: usize,
    /// The first of these tests.
    pub specimen: Specimen,
}

/// A finding of a test, as an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Specimen {
    /// The id of the test.
    pub id: String,
    /// The file of the rule, or of the test.
    pub file: String,
    /// The line in it, from 1.
    pub line: u32,
    /// Whether there is such a file; a test that is in none has the name of its source instead.
    pub has_file: bool,
    /// The status of the test.
    pub status: Status,
}

/// A finding of a test: a rule that failed or is not shown, or the problem for which it could not be evaluated.
#[derive(Clone, Debug)]
pub struct TestFinding<'a> {
    /// The key that equal findings share.
    pub reason: FailureReason,
    /// The finding, on one line.
    pub sentence: &'a str,
    /// The rule; `None` of a problem.
    pub rule: Option<&'a RuleResult>,
}

/// The causes of a run so far, in the order in which they were found.
#[derive(Debug, Default)]
pub struct Causes {
    known: IndexMap<FailureReason, CommonCause>,
    /// The number of findings of causes that are not kept.
    further: usize,
}

impl Causes {
    /// Adds the findings of a test that fails the run. Findings with the same reason, in any test, have one cause.
    pub fn add(&mut self, outcome: &Outcome) {
        let mut reasons_of_test: Vec<FailureReason> = Vec::new();
        for finding in outcome.findings() {
            // A cause counts its findings and its tests. A test with several findings of one cause is one of its tests.
            let is_first = !reasons_of_test.contains(&finding.reason);
            if is_first {
                reasons_of_test.push(finding.reason.clone());
            }
            if let Some(cause) = self.known.get_mut(&finding.reason) {
                cause.findings += 1;
                cause.tests += usize::from(is_first);
                // The sentence shows what all findings have in common, with `…` for the rest.
                cause.sentence = without_differing(&cause.sentence, finding.sentence);
            } else if self.known.len() < MOST {
                let cause = CommonCause {
                    sentence: truncate::bytes(finding.sentence, LONGEST).into_owned(),
                    findings: 1,
                    tests: 1,
                    specimen: finding.specimen(outcome),
                    reason: finding.reason.clone(),
                };
                self.known.insert(finding.reason, cause);
            } else {
                // Memory is limited, so that further causes are only counted. A run with so many has no common cause.
                self.further += 1;
            }
        }
    }

    /// Every cause, that of the most tests first.
    pub fn largest_first(&self) -> Vec<&CommonCause> {
        let mut causes: Vec<&CommonCause> = self.known.values().collect();
        causes.sort_by_key(|cause| std::cmp::Reverse((cause.tests, cause.findings)));
        causes
    }

    /// The place of the cause of this reason among all of them, in the order in which they were found.
    pub fn index(&self, reason: &FailureReason) -> Option<usize> {
        self.known.get_index_of(reason)
    }

    /// The sentence of the cause at this place.
    pub fn sentence(&self, index: usize) -> Option<&str> {
        let (_, cause) = self.known.get_index(index)?;
        Some(&cause.sentence)
    }

    /// The cause of this reason.
    pub fn get(&self, reason: &FailureReason) -> Option<&CommonCause> {
        self.known.get(reason)
    }

    /// The number of findings of causes that are not kept, because there are too many.
    pub fn further(&self) -> usize {
        self.further
    }
}

impl TestFinding<'_> {
    /// The finding as the example of its cause: the test, its status, and the place of the rule that failed. A problem has no
    /// rule, and so the place of the test.
    fn specimen(&self, outcome: &Outcome) -> Specimen {
        let test = &outcome.test;
        let (file, line) = match self.rule {
            Some(rule) => (&*rule.place.file, rule.place.line),
            None => (&*test.file, test.line),
        };
        Specimen {
            id: test.id.clone(),
            file: file.to_owned(),
            line,
            // A test that was not read from a file has the name of its source there, which a report must not show as a path.
            has_file: test.has_file(file),
            status: outcome.status(),
        }
    }
}

impl Outcome {
    /// Every finding of a test that did not pass, beginning with the one that its headline shows.
    pub fn findings(&self) -> Vec<TestFinding<'_>> {
        let failures = self.all_failures();
        let failures = failures.map(|(_, failure)| TestFinding::of_rule(failure));
        let mut findings = Vec::new();
        match self.status() {
            Status::Passed | Status::Skipped => return findings,
            // The problem decided the status, so that it comes before the rules that had failed until then.
            Status::Error | Status::Timeout => {
                findings.extend(TestFinding::of_problem(self));
                findings.extend(failures);
            }
            Status::Failed | Status::Undecided => findings.extend(failures),
            Status::NotShown => {
                findings.extend(self.verdict.not_shown().map(TestFinding::of_rule));
            }
        }
        // A test may also have failed by a problem alone, such as a call without a mock.
        if findings.is_empty() {
            findings.extend(TestFinding::of_problem(self));
        }
        findings
    }
}

impl<'a> TestFinding<'a> {
    fn of_problem(outcome: &'a Outcome) -> Option<Self> {
        let (_, problem) = outcome.first_problem()?;
        Some(Self {
            reason: problem.reason(),
            sentence: problem.sentence(),
            rule: None,
        })
    }

    fn of_rule(rule: &'a RuleResult) -> Self {
        Self {
            reason: rule.reason(),
            sentence: &rule.message,
            rule: Some(rule),
        }
    }
}
