//! What came of the changes to many tests: scores, and the changes that no rule noticed.

use std::collections::BTreeMap;

use super::fate::Fate;
use super::mutation::Mutation;
use super::severity::MutantSeverity;
use super::suggestion::Suggestion;
use ananke_base::statistics::Percentage;
use ananke_model::model::MutationOperator;

/// How many changes met which fate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Killed by rules for the right reason.
    pub killed: usize,
    /// Ended without a rule.
    pub killed_by_protocol: usize,
    /// Killed by rules for another reason.
    pub killed_otherwise: usize,
    /// Without a failure, and with a rule that neither passed nor failed.
    pub not_shown: usize,
    /// Harmless according to the config.
    pub harmless: usize,
    /// Not noticed.
    pub survived: usize,
}

/// The score of one test.
#[derive(Clone, Debug)]
pub struct TestScore {
    /// Its id.
    pub id: String,
    /// Its score.
    pub score: Score,
}

/// The score of one kind of change.
#[derive(Clone, Copy, Debug)]
pub struct OperatorScore {
    /// The kind.
    pub operator: MutationOperator,
    /// Its score.
    pub score: Score,
}

/// A change that no rule noticed, or that made a rule fail that names something else.
#[derive(Clone, Debug)]
pub struct SurvivingMutant {
    /// The id of the test.
    pub test: String,
    /// The kind of change.
    pub operator: MutationOperator,
    /// How bad it is.
    pub severity: MutantSeverity,
    /// The turn, counted from 0.
    pub turn: usize,
    /// The number of the event, counted from 0.
    pub event: u32,
    /// The change, in words.
    pub change: String,
    /// The finding of a rule that failed for another reason.
    pub other_finding: Option<String>,
    /// A rule that would notice it, if one was found.
    pub suggestion: Option<Suggestion>,
}

/// What came of the changes to many tests.
#[derive(Clone, Debug, Default)]
pub struct MutationReport {
    /// Everything.
    pub total: Score,
    /// Test by test, in the order in which they were added, each once.
    pub tests: Vec<TestScore>,
    /// The changes that no rule noticed, in the same order.
    pub survivors: Vec<SurvivingMutant>,
    /// The changes with which rules failed that name something else, in the same order.
    pub killed_otherwise: Vec<SurvivingMutant>,
    operators: BTreeMap<MutationOperator, Score>,
    positions: BTreeMap<String, usize>,
}

impl Score {
    /// Counts a change.
    pub fn add(&mut self, fate: &Fate) {
        let count = match fate {
            Fate::Killed { .. } => &mut self.killed,
            Fate::KilledByProtocol(_) => &mut self.killed_by_protocol,
            Fate::KilledOtherwise(_) => &mut self.killed_otherwise,
            Fate::NotShown(_) => &mut self.not_shown,
            Fate::Harmless(_) => &mut self.harmless,
            Fate::Survived => &mut self.survived,
        };
        *count += 1;
    }

    /// How many changes were counted.
    pub fn total(&self) -> usize {
        self.killed
            + self.killed_by_protocol
            + self.killed_otherwise
            + self.not_shown
            + self.harmless
            + self.survived
    }

    /// How many were killed by rules for the right reason, in percent of those that are neither harmless nor not shown, and
    /// did not end without a rule; `None` if there are none.
    pub fn percent(&self) -> Option<f64> {
        let counted = self.counted();
        // Counts are far below the limit of a double.
        #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
        let percent = self.killed as f64 * 100.0 / counted as f64;
        (counted > 0).then_some(percent)
    }
}

impl Score {
    /// How many changes count for the score.
    pub fn counted(&self) -> usize {
        self.killed + self.killed_otherwise + self.survived
    }

    /// The score for people, with one digit, rounded down; `-` if nothing counts.
    pub fn percent_words(&self) -> String {
        let rounded = |percent: f64| format!("{:.1} %", (percent * 10.0).floor() / 10.0);
        self.percent().map_or_else(|| "-".to_owned(), rounded)
    }

    /// Whether it is below `min`.
    pub fn is_below(&self, min: Option<Percentage>) -> bool {
        let (Some(min), Some(percent)) = (min, self.percent()) else {
            return false;
        };
        percent / 100.0 < min.as_fraction()
    }
}

impl MutationReport {
    /// Adds a recording of a test, with its changes and their fates; `suggestions` gives the rule that would notice the change of a number.
    pub fn add(
        &mut self,
        id: &str,
        fates: &[(Mutation, Fate)],
        suggestions: &mut dyn FnMut(usize) -> Option<Suggestion>,
    ) {
        let at = *self
            .positions
            .entry(id.to_owned())
            .or_insert(self.tests.len());
        if at == self.tests.len() {
            self.tests.push(TestScore {
                id: id.to_owned(),
                score: Score::default(),
            });
        }
        for (number, (mutation, fate)) in fates.iter().enumerate() {
            self.tests[at].score.add(fate);
            self.total.add(fate);
            self.operators
                .entry(mutation.operator)
                .or_default()
                .add(fate);
            let (list, other_finding) = match fate {
                Fate::Survived => (&mut self.survivors, None),
                Fate::KilledOtherwise(finding) => {
                    (&mut self.killed_otherwise, Some(finding.clone()))
                }
                Fate::Killed { .. }
                | Fate::KilledByProtocol(_)
                | Fate::NotShown(_)
                | Fate::Harmless(_) => continue,
            };
            list.push(SurvivingMutant {
                test: id.to_owned(),
                operator: mutation.operator,
                severity: mutation.severity,
                turn: mutation.turn,
                event: mutation.event,
                change: mutation.change.clone(),
                other_finding,
                suggestion: suggestions(number),
            });
        }
    }

    /// The scores of the kinds of changes that there were.
    pub fn operators(&self) -> impl Iterator<Item = OperatorScore> {
        self.operators
            .iter()
            .map(|(operator, score)| OperatorScore {
                operator: *operator,
                score: *score,
            })
    }
}
