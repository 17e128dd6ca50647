//! The results of the changes to many tests: scores, and the changes that no rule noticed.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::{Fate, MutantSeverity, Suggestion};
use ananke_base::statistics::Percentage;
use ananke_model::model::MutationOperator;

/// How many changes met which fate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Score {
    /// The share of `killed` among `killed`, `killed_otherwise` and `survived`, in percent with up to two decimals, rounded
    /// down; omitted if there are none.
    #[serde(rename = "score", skip_serializing_if = "Option::is_none")]
    rounded: Option<f64>,
    /// The number of changes.
    pub total: usize,
    /// The number of changes that a rule noticed for the right reason.
    pub killed: usize,
    /// The number of changes that ended the turn or the test with an error before a rule was needed.
    pub killed_by_protocol: usize,
    /// The number of changes with which a rule failed whose finding names something else.
    pub killed_otherwise: usize,
    /// The number of changes with which no rule failed, and one neither passed nor failed.
    pub not_shown: usize,
    /// The number of changes after which another decision about a conditional turn (`if`) was made.
    #[schemars(extend("x-since" = "1.1"))]
    pub changes_decision: usize,
    /// The number of changes that the config says need not be noticed.
    pub harmless: usize,
    /// The number of changes that no rule noticed.
    pub survived: usize,
}

/// The score of one test.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Test")]
pub struct TestScore {
    /// The id of the test.
    pub id: String,
    /// Its score.
    #[serde(flatten)]
    pub score: Score,
}

/// The score of one kind of change.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Operator")]
pub struct OperatorScore {
    /// The kind of change.
    #[serde(rename = "name", serialize_with = "name")]
    pub operator: MutationOperator,
    /// Its score.
    #[serde(flatten)]
    pub score: Score,
}

/// A change that no rule noticed, or that made a rule fail that names something else.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Mutant")]
pub struct SurvivingMutant {
    /// The id of the test.
    pub test: String,
    /// The kind of change.
    #[serde(serialize_with = "name")]
    pub operator: MutationOperator,
    /// The severity, by the side effect of the change.
    pub severity: MutantSeverity,
    /// The turn, counted from 1.
    pub turn: usize,
    /// The number of the event in its turn, counted from 1.
    pub event: u32,
    /// The tool whose call is changed; omitted if no call is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The argument that is changed; omitted if none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument: Option<String>,
    /// The change, in words.
    pub change: String,
    /// The finding of a rule that failed for another reason; omitted if none failed.
    #[serde(rename = "finding", skip_serializing_if = "Option::is_none")]
    pub other_finding: Option<String>,
    /// A rule that would notice it; omitted if none was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<Suggestion>,
}

/// What came of the changes to many tests, as `ananke mutate --json` prints it.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct MutationReport {
    /// The score of everything: the summary of the document.
    #[serde(skip)]
    pub total: Score,
    /// The score of each test, in the order of the recordings.
    pub tests: Vec<TestScore>,
    /// The score of each kind of change that there was.
    pub operators: Vec<OperatorScore>,
    /// The changes that no rule noticed, test by test.
    pub survivors: Vec<SurvivingMutant>,
    /// The changes with which rules failed that name something else, test by test.
    #[serde(rename = "otherwise")]
    pub killed_otherwise: Vec<SurvivingMutant>,
    #[serde(skip)]
    positions: BTreeMap<String, usize>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "a serializer asks so")]
fn name<S: Serializer>(operator: &MutationOperator, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(operator.name())
}

impl Score {
    /// Counts a change.
    pub fn add(&mut self, fate: &Fate) {
        let count = match fate {
            Fate::Killed { .. } => &mut self.killed,
            Fate::KilledByProtocol(_) => &mut self.killed_by_protocol,
            Fate::KilledOtherwise(_) => &mut self.killed_otherwise,
            Fate::NotShown(_) => &mut self.not_shown,
            Fate::ChangesDecision(_) => &mut self.changes_decision,
            Fate::Harmless(_) => &mut self.harmless,
            Fate::Survived => &mut self.survived,
        };
        *count += 1;
        self.total += 1;
        self.rounded = self
            .percent()
            .map(|percent| (percent * 100.0).floor() / 100.0);
    }

    /// The percentage of changes that rules killed for the right reason, of those that are neither harmless nor not shown,
    /// and did not end without a rule; `None` if there are none.
    pub fn percent(&self) -> Option<f64> {
        let counted = self.counted();
        // Counts are far below the limit of a double.
        #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
        let percent = self.killed as f64 * 100.0 / counted as f64;
        (counted > 0).then_some(percent)
    }

    /// The number of changes that count for the score.
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
    /// Adds a recording of the test `id`, whose changes follow.
    pub fn add_test(&mut self, id: &str) {
        let next = self.tests.len();
        let position = *self.positions.entry(id.to_owned()).or_insert(next);
        if position == next {
            self.tests.push(TestScore {
                id: id.to_owned(),
                score: Score::default(),
            });
        }
    }

    /// Adds a change to a recording of the test `id`, which was added. `mutant` describes it if it is listed, with the finding of
    /// a rule that failed for another reason.
    pub fn add_change(
        &mut self,
        id: &str,
        operator: MutationOperator,
        fate: &Fate,
        mutant: impl FnOnce(Option<String>) -> SurvivingMutant,
    ) {
        if let Some(position) = self.positions.get(id) {
            self.tests[*position].score.add(fate);
        }
        self.total.add(fate);
        self.score_of(operator).add(fate);
        match fate {
            Fate::Survived => self.survivors.push(mutant(None)),
            Fate::KilledOtherwise(finding) => {
                self.killed_otherwise.push(mutant(Some(finding.clone())));
            }
            Fate::Killed { .. }
            | Fate::KilledByProtocol(_)
            | Fate::NotShown(_)
            | Fate::ChangesDecision(_)
            | Fate::Harmless(_) => {}
        }
    }

    /// The score of a kind of change, whose place is that of its kind.
    fn score_of(&mut self, operator: MutationOperator) -> &mut Score {
        let place = self
            .operators
            .binary_search_by_key(&operator, |of| of.operator);
        let place = place.unwrap_or_else(|place| {
            let new = OperatorScore {
                operator,
                score: Score::default(),
            };
            self.operators.insert(place, new);
            place
        });
        &mut self.operators[place].score
    }
}
