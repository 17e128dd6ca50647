//! Coverage for people and programs: a line per tool, then what schemas list, transitions and interrupts, and the shares at
//! the end.

use std::io;

use crate::report::{Conclusion, DocumentText, Documented, document::counted};
use ananke_model::model::ReportFormat;
use ananke_trace::outcome::coverage::{
    CoverageCount, CoverageReport, CoverageState, CoverageTotals,
};

/// The share that has to be covered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoverageGate {
    /// The state from which on something counts as covered.
    pub state: CoverageState,
    /// The least share, in percent.
    pub least: f64,
}

impl Documented for CoverageReport {
    const NAME: &'static str = "coverage";
    const FORMATS: &'static [ReportFormat] = &[ReportFormat::Html, ReportFormat::Json];
    type Counts = CoverageTotals;
    type Body<'b> = &'b Self;

    fn counts(&self) -> CoverageTotals {
        self.totals.clone()
    }

    fn body(&self) -> &Self {
        self
    }

    fn write(&self, text: &mut DocumentText) {
        let tools = match self.tools.len() {
            0 => "no tool is declared or called".to_owned(),
            count => format!("coverage of {}", counted(count, "tool")),
        };
        text.heading(&tools);
        let tools = self.tools.iter().map(|tool| {
            let note = if tool.declared { "" } else { " (not declared)" };
            let [ok, error, denied, pending] = tool
                .outcomes
                .all()
                .map(|(_, state)| state.as_str().to_owned());
            [format!("{}{note}", tool.name), ok, error, denied, pending]
        });
        text.table(["tool", "ok", "error", "denied", "pending"], tools);
        let values = self.arguments.iter().map(|argument| {
            let place = format!("{} {}: {}", argument.tool, argument.path, argument.value);
            [place, argument.state.as_str().to_owned()]
        });
        text.table(["value of an argument", "state"], values);
        let happens = self
            .transitions
            .iter()
            .filter(|transition| transition.state != CoverageState::Never);
        let happens = happens.map(|transition| {
            let pair = format!("{} → {}", transition.from, transition.to);
            [pair, transition.state.as_str().to_owned()]
        });
        text.table(["transition that occurs", "state"], happens);
        let answers = self.interrupts.iter().flat_map(|interrupt| {
            let answers = interrupt.answers.all().into_iter();
            answers.map(|(answer, state)| {
                let name = format!("{} {answer}", interrupt.name);
                [name, state.as_str().to_owned()]
            })
        });
        text.table(["answer to an interrupt", "state"], answers);
        text.remarks(remarks(&self.totals));
    }

    fn file(&self, format: ReportFormat) -> io::Result<Vec<u8>> {
        #[cfg(feature = "html")]
        if format == ReportFormat::Html {
            return Ok(super::coverage_page(self).into_bytes());
        }
        Err(Self::not_a_format(format))
    }
}

fn remarks(totals: &CoverageTotals) -> Vec<String> {
    let counts = [
        ("tools", totals.tools),
        ("outcomes", totals.outcomes),
        ("values", totals.arguments),
        ("transitions", totals.transitions),
        ("answers", totals.interrupts),
    ];
    let counts = counts.into_iter().filter(|(_, count)| count.total > 0);
    let counts = counts.map(|(word, count)| {
        let CoverageCount {
            total,
            exercised,
            asserted,
        } = count;
        format!("{word}: {exercised} of {total} exercised, {asserted} asserted")
    });
    let partial = "there is more than is kept: these numbers are not complete".to_owned();
    counts.chain(totals.partial.then_some(partial)).collect()
}

/// Whether enough is covered. The exit code is that of the tests, `ran`, if they did not pass.
pub fn coverage_conclusion(
    report: &CoverageReport,
    ran: u8,
    gate: Option<CoverageGate>,
) -> Conclusion {
    let (exercised, asserted) = (
        report.totals.exercised_percent,
        report.totals.asserted_percent,
    );
    let failed = (ran != 0).then(|| format!("the tests ended with exit code {ran}"));
    let missed = gate.and_then(|CoverageGate { state, least }| {
        let share = match state {
            CoverageState::Asserted => asserted,
            CoverageState::Exercised | CoverageState::Never => exercised,
        };
        let state = state.as_str();
        (share < least)
            .then(|| format!("{share} % is {state}, and `--fail-under` demands {least} %"))
    });
    let is_missed = missed.is_some();
    let wrong: Vec<String> = failed.into_iter().chain(missed).collect();
    let found = format!(
        "{exercised} % of outcomes, values and answers are exercised, {asserted} % are asserted"
    );
    let conclusion = Conclusion::of(&wrong, found);
    match ran {
        0 => conclusion,
        _ if is_missed => conclusion,
        exit_code => Conclusion {
            exit_code,
            ..conclusion
        },
    }
}
