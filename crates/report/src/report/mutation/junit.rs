//! Scores as JUnit XML: a suite for tests and one for kinds of changes, a case for each, which fails below the required score.

use std::io;

use quick_xml::Writer;

use super::words::{counts, tables, unnoticed};
use crate::report::file::junit::Element;
use ananke_base::statistics::Percentage;
use ananke_trace::outcome::mutation::{MutationReport, Score};

/// The most bytes of one text.
const LONGEST: usize = 2 << 10;

/// The report as JUnit XML; a case fails if its score is below `min_score`.
///
/// # Errors
/// Never: it is written to memory.
pub(super) fn mutation_junit(
    report: &MutationReport,
    min_score: Option<Percentage>,
) -> io::Result<Vec<u8>> {
    let mut writer = Writer::new(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>".to_vec());
    let tables = tables(report);
    let all = tables.iter().flat_map(|(_, rows)| rows);
    let root = counted(
        Element::new("testsuites", 0).with("name", "ananke mutate"),
        all,
        min_score,
    );
    root.open(&mut writer)?;
    for (heading, rows) in &tables {
        let suite = Element::new("testsuite", 1).with("name", &format!("mutations by {heading}"));
        let suite = counted(suite, rows.iter(), min_score);
        suite.open(&mut writer)?;
        properties(&mut writer, 2, &report.total)?;
        for (name, score) in rows {
            let case = Element::new("testcase", 2)
                .with("classname", heading)
                .with("name", name);
            let case = case.with("time", "0");
            case.open(&mut writer)?;
            properties(&mut writer, 3, score)?;
            if score.is_below(min_score) {
                let message = format!("{} of the changes are noticed", score.percent_words());
                let failure = Element::new("failure", 3)
                    .with("message", &message)
                    .with("type", "score");
                failure.text(&mut writer, &unnoticed_of(report, name))?;
            }
            case.close(&mut writer)?;
        }
        suite.close(&mut writer)?;
    }
    root.close(&mut writer)?;
    let mut bytes = writer.into_inner();
    bytes.push(b'\n');
    Ok(bytes)
}

/// The changes of a test or a kind that are not noticed, one per line.
fn unnoticed_of(report: &MutationReport, name: &str) -> String {
    let own = unnoticed(report)
        .filter(|(_, mutant)| mutant.test == name || mutant.operator.name() == name);
    let lines = own.map(|(fate, mutant)| {
        let (operator, turn, event) = (mutant.operator, mutant.turn, mutant.event);
        let change = ananke_base::text::truncate::bytes(&mutant.change, LONGEST);
        format!(
            "{fate}: {operator} in {}, turn {turn}, event {event}: {change}\n",
            mutant.test
        )
    });
    lines.collect()
}

/// An element with how many cases there are and how many fail.
fn counted<'r>(
    element: Element,
    rows: impl Iterator<Item = &'r (String, Score)>,
    min_score: Option<Percentage>,
) -> Element {
    let (mut tests, mut failures) = (0, 0);
    for (_, score) in rows {
        tests += 1;
        failures += usize::from(score.is_below(min_score));
    }
    let (tests, failures) = (f64::from(tests).to_string(), failures.to_string());
    element
        .with("tests", &tests)
        .with("failures", &failures)
        .with("errors", "0")
        .with("skipped", "0")
}

fn properties(writer: &mut Writer<Vec<u8>>, depth: usize, score: &Score) -> io::Result<()> {
    let all = Element::new("properties", depth);
    all.open(writer)?;
    let property = |name: &str, value: &str| {
        Element::new("property", depth + 1)
            .with("name", name)
            .with("value", value)
    };
    property("score", &score.percent_words()).empty(writer)?;
    for (what, count) in counts(score) {
        property(what, &count.to_string()).empty(writer)?;
    }
    all.close(writer)
}
