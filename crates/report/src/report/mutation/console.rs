//! Scores and survivors for people and programs.

use std::io;

use schemars::JsonSchema;
use serde::Serialize;

use super::words::sum;
use crate::report::document::{EntryMark, counted};
use crate::report::{Conclusion, DocumentText, Documented};
use ananke_base::statistics::Percentage;
use ananke_model::model::ReportFormat;
use ananke_trace::outcome::mutation::{MutationLevel, MutationReport, Score, SurvivingMutant};

/// The results of the changes of one command.
pub struct MutationDocument<'a> {
    /// The scores and the survivors.
    pub report: &'a MutationReport,
    /// The survivors that are listed for people: without a baseline all of them.
    pub listed: Vec<&'a SurvivingMutant>,
    /// The score that is required.
    pub min_score: Option<Percentage>,
    /// The number of changes that were evaluated in a second.
    pub per_second: f64,
}

/// The score of everything, and the speed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MutationCounts {
    #[serde(flatten)]
    score: Score,
    /// The number of changes that were evaluated in a second.
    mutants_per_second: f64,
}

impl Documented for MutationDocument<'_> {
    const NAME: &'static str = "mutate";
    const FORMATS: &'static [ReportFormat] = &[
        ReportFormat::Html,
        ReportFormat::Markdown,
        ReportFormat::Junit,
        ReportFormat::Json,
    ];
    type Counts = MutationCounts;
    type Body<'b>
        = &'b MutationReport
    where
        Self: 'b;

    fn counts(&self) -> MutationCounts {
        MutationCounts {
            score: self.report.total,
            mutants_per_second: self.per_second.round(),
        }
    }

    fn body(&self) -> &MutationReport {
        self.report
    }

    fn write(&self, text: &mut DocumentText) {
        let report = self.report;
        let tests = counted(report.tests.len(), "test");
        text.heading(&format!("changes to the recordings of {tests}"));
        let otherwise = &report.killed_otherwise;
        text.entries("killed otherwise", otherwise, write_mutant);
        text.entries("survived", self.listed.iter().copied(), write_mutant);
        let row = |name: &str, score: &Score| {
            let killed = format!("{} of {}", score.killed, score.counted());
            [score.percent_words(), killed, name.to_owned()]
        };
        let operators = report.operators.iter();
        text.table(
            ["score", "killed", "operator"],
            operators.map(|of| row(of.operator.name(), &of.score)),
        );
        text.table(
            ["score", "killed", "test"],
            report.tests.iter().map(|test| row(&test.id, &test.score)),
        );
        text.remarks([sum(&report.total)]);
    }

    fn file(&self, format: ReportFormat) -> io::Result<Vec<u8>> {
        match format {
            #[cfg(feature = "html")]
            ReportFormat::Html => Ok(super::html::mutation_page(self.report).into_bytes()),
            ReportFormat::Markdown => {
                Ok(super::markdown::mutation_markdown(self.report).into_bytes())
            }
            #[cfg(feature = "junit")]
            ReportFormat::Junit => super::junit::mutation_junit(self.report, self.min_score),
            _ => Err(Self::not_a_format(format)),
        }
    }
}

/// A change that was not noticed for the right reason, and the rule that would.
fn write_mutant(text: &mut DocumentText, mutant: &SurvivingMutant) {
    let SurvivingMutant {
        test,
        operator,
        severity,
        turn,
        event,
        change,
        other_finding,
        suggestion,
        tool: _,
        argument: _,
    } = mutant;
    let mark = match other_finding {
        Some(_) => EntryMark::Doubtful,
        None => EntryMark::Bad,
    };
    text.entry(
        mark,
        &format!("{operator} ({severity})"),
        &format!("{test}, turn {turn}, event {event}"),
    );
    text.line(&change.replace('\n', " "));
    if let Some(finding) = other_finding {
        let finding = finding.replace('\n', " ");
        text.line(&format!(
            "a rule fails that does not name the change: {finding}"
        ));
    }
    if let Some(suggestion) = suggestion {
        let (file, line) = (&suggestion.file, suggestion.line);
        let level = match suggestion.level {
            MutationLevel::Test => "the test".to_owned(),
            level @ MutationLevel::Turn(_) => level.to_string(),
        };
        let version = suggestion.version.as_ref();
        let version = version.map(|version| format!(", with `version: \"{version}\"`"));
        let version = version.unwrap_or_default();
        text.line(&format!(
            "this rule notices it, in `assert` of {level} ({file}:{line}{version}):"
        ));
        text.lines_of_file(&suggestion.yaml);
    }
}

/// The limits of `ananke mutate`, and what could not be mutated.
#[derive(Clone, Copy, Debug)]
pub struct MutationGates {
    /// The number of survivors that the baseline does not have, if there is one.
    pub new_survivors: Option<usize>,
    /// The number of recordings that could not be mutated.
    pub refused: usize,
}

/// Whether enough is noticed.
pub fn mutation_conclusion(document: &MutationDocument<'_>, gates: MutationGates) -> Conclusion {
    let total = &document.report.total;
    let score = total.percent_words();
    let killed = format!(
        "the score is {score}, {} of {} killed by rules",
        total.killed,
        counted(total.counted(), "change")
    );
    let below = document
        .min_score
        .filter(|min| total.is_below(Some(*min)))
        .map(|min| format!("the score is {score}, and at least {min} is required"));
    let new = gates
        .new_survivors
        .filter(|new| *new > 0)
        .map(|new| format!("the baseline does not have {}", counted(new, "survivor")));
    let refused = (gates.refused > 0).then(|| {
        let recordings = counted(gates.refused, "recording");
        format!("{recordings} could not be mutated")
    });
    let wrong: Vec<String> = below.into_iter().chain(new).chain(refused).collect();
    Conclusion::of(&wrong, killed)
}
