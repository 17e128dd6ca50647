//! Every hostile text at every place of an outcome, in every report: each report stays well-formed, and controls no
//! reader.
//!
//! What is checked here is what a reader relies on, however the report looks; golden files show how it looks.

mod places;
pub(super) mod texts;

use std::fs;
use std::sync::Arc;

use ananke::compare::{Comparison, ComparisonRules};
use ananke::context::{Colouring, TerminalSize};
use ananke::coverage::CoverageCollector;
use ananke::diagnostic::render::{RenderStyle, human};
use ananke::diagnostic::{Code, Diagnostic, SourceFile, Span};
use ananke::message::ToolDeclaration;
use ananke::model::MutationOperator;
use ananke::outcome::audit::{Audit, AuditCheck, AuditFinding, AuditedTool, CheckLevel};
use ananke::outcome::contract::{ContractReport, RecordedCall, RefusedCall};
use ananke::outcome::mutation::{
    MutantSeverity, MutationReport, Score, SurvivingMutant, TestScore,
};
use ananke::outcome::{Outcome, RunFacts, Status};
use ananke::redact::Redactor;
use ananke::report::file::junit::JunitProfile;
use ananke::report::file::markdown::MOST;
use ananke::report::terminal::Verbosity;
use ananke::report::{CommandDocument, Conclusion, Documented, MutationDocument};
use proptest::prelude::*;
use regex::Regex;

use crate::report::outcomes::HOSTILE;
use crate::report::{
    comparison, console, github, html, json_lines, junit, junit_strict, markdown, outcomes, tap,
};
use places::{events, everywhere, made_of, somewhere};
use texts::DECEIVING;

/// What no report may contain.
struct Orders(Regex);

impl Orders {
    fn new() -> Self {
        Self(Regex::new(r"(?m)^\s*::|##[A-Za-z]*\[|\[\[[A-Z]+\|").expect("a pattern"))
    }

    /// Fails if `text` contains a terminal command, an invisible character, or a command to a build server.
    fn check(&self, report: &str, text: &str) {
        let bad = text.chars().find(|character| deceives(*character));
        assert_eq!(
            bad, None,
            "{report} holds a character that deceives:\n{text}"
        );
        if let Some(order) = self.0.find(text) {
            panic!("{report} holds the order {:?}:\n{text}", order.as_str());
        }
    }
}

/// Whether `character` is unusual in reports and is in the list.
fn deceives(character: char) -> bool {
    !matches!(character, ' '..='~' | '\n') && DECEIVING.contains(character)
}

#[expect(clippy::unnecessary_wraps, reason = "what a console asks for")]
fn columns(columns: usize) -> Option<TerminalSize> {
    Some(TerminalSize { columns, rows: 24 })
}

/// Fails if a report of these tests is malformed, or controls a reader.
fn check_reports(name: &str, text: &str, tests: &[Outcome]) {
    let orders = Orders::new();
    let events = events(text, tests);

    let colours = Regex::new("\u{1b}\\[[0-9;]*m").expect("a pattern");
    for verbosity in [Verbosity::Quiet, Verbosity::Normal, Verbosity::Verbose] {
        let plain = console::printed(&events, Colouring::Plain, verbosity);
        orders.check(&format!("{verbosity:?} console"), &plain);
    }
    for size in [|| columns(40), || columns(3)] {
        let narrow = console::printed_on(size, &events, Colouring::Plain, Verbosity::Normal);
        orders.check("a narrow console", &narrow);
    }
    let coloured = console::printed(&events, Colouring::Coloured, Verbosity::Normal);
    orders.check("console in colour", &colours.replace_all(&coloured, ""));

    for profile in [JunitProfile::Default, JunitProfile::Strict] {
        let xml = junit::written_as(profile, &format!("{name}-{profile:?}"), &events);
        orders.check(&format!("{profile:?} JUnit"), &xml);
        let root = junit::parsed(&xml);
        junit::check_totals(&root);
        let cases = root
            .named("testsuite")
            .map(|suite| suite.named("testcase").count())
            .sum::<usize>();
        assert_eq!(cases, tests.len(), "cases of {profile:?} JUnit");
        assert!(
            !junit::xml_text(&root).contains("[[ATTACHMENT|"),
            "a file of the machine would be published"
        );
        if profile == JunitProfile::Strict {
            junit_strict::validate(name, &xml);
        }
    }

    let lines = json_lines::printed(&events);
    orders.check("JSON lines", &lines);
    let results = json_lines::lines(&lines);
    assert_eq!(
        results.len(),
        tests.len() + 1,
        "a line a test and one for all"
    );
    for (result, test) in results.iter().zip(tests) {
        assert_eq!(
            (&result["id"], &result["name"]),
            (
                &test.test.id.as_str().into(),
                &test.test.name.as_str().into()
            )
        );
    }

    let tap = tap::written(name, &events);
    orders.check("TAP", &tap);
    tap::check_form(&tap);
    let points = tap
        .lines()
        .filter(|line| line.starts_with("ok ") || line.starts_with("not ok "))
        .count();
    assert_eq!(points, tests.len(), "points of TAP");

    let page = html::written(&events);
    let own = html::without_assets(&page);
    orders.check("HTML", &own);
    html::check_form(&own, tests.len());
    assert_eq!(
        html::data(&page, "tests").as_array().map(Vec::len),
        Some(tests.len())
    );

    let comment = markdown::written(name, &events);
    orders.check("Markdown", &comment);
    markdown::check_form(&comment);
    assert!(comment.len() <= MOST, "{} bytes", comment.len());

    let path = github::summary(name);
    let annotations = github::told(github::in_repository(&path), &events);
    github::check_form(&annotations);
    assert!(!annotations.chars().any(deceives), "{annotations}");
    let summary = fs::read_to_string(&path).expect("a summary");
    orders.check("the summary of a job", &summary);
    markdown::check_form(&summary);
}

/// The same for documents in which every text is hostile.
fn check_documents(text: &str, orders: &Orders) {
    let of = || text.to_owned();
    let (target, name) = (of(), of());
    let tool = AuditedTool {
        name,
        calls: 1,
        calls_not_made: 1,
        skipped: None,
    };
    let finding = |tool| AuditFinding {
        check: AuditCheck::Crash,
        level: CheckLevel::Error,
        tool,
        message: of(),
        path: Some(of()),
        write: Some(of()),
        with: Some(of()),
        arguments: Some(text.into()),
        more: 1,
    };
    let audit = Audit {
        target,
        tools: vec![tool],
        findings: vec![finding(Some(of())), finding(None)],
        ..Audit::default()
    };
    check_document(&audit, text, orders);
    let call = RecordedCall {
        test: of(),
        turn: 1,
        call: 1,
        tool: of(),
        args: text.into(),
    };
    let contract = ContractReport {
        target: of(),
        refusals: vec![RefusedCall {
            call,
            path: of(),
            message: of(),
        }],
        recordings: 1,
        calls: 1,
    };
    check_document(&contract, text, orders);
    let mut report = MutationReport::default();
    report.tests.push(TestScore {
        id: of(),
        score: Score::default(),
    });
    let mutant = SurvivingMutant {
        test: of(),
        operator: MutationOperator::DropCall,
        severity: MutantSeverity::High,
        turn: 1,
        event: 1,
        tool: Some(of()),
        argument: Some(of()),
        change: of(),
        other_finding: Some(of()),
        suggestion: None,
    };
    report.survivors.push(mutant);
    let mutation = MutationDocument {
        report: &report,
        listed: report.survivors.iter().collect(),
        min_score: None,
        per_second: 1.0,
    };
    check_document(&mutation, text, orders);
    let collector = CoverageCollector::default();
    let tool = ToolDeclaration {
        name: of(),
        description: of(),
        parameters: serde_json::json!({ "properties": { text: { "enum": [text] } } }),
    };
    collector.declare([&tool], &Redactor::default());
    check_document(&collector.report(), text, orders);
}

fn check_document<D: Documented>(found: &D, text: &str, orders: &Orders) {
    let facts = RunFacts {
        command: vec![text.to_owned()],
        ..RunFacts::default()
    };
    let document = CommandDocument {
        facts: &Redactor::default().seal(facts),
        found,
        conclusion: Conclusion {
            exit_code: 1,
            reason: text.to_owned(),
        },
    };
    orders.check(D::NAME, &document.json().expect("JSON"));
    for width in [None, Some(30), Some(2)] {
        orders.check(D::NAME, &document.text(Colouring::Plain, width));
    }
}

/// The same for a comparison of two runs, and for messages about a file.
fn check_others(text: &str) {
    let orders = Orders::new();
    let folder = tempfile::tempdir().expect("a folder");
    let before = everywhere(text);
    let after = before
        .iter()
        .rev()
        .cloned()
        .zip(&before)
        .map(|(last, first)| {
            outcomes::changed(last, |last| last.test.id.clone_from(&first.test.id))
        });
    let [before, after] = [("before", before.clone()), ("after", after.collect())]
        .map(|(name, tests)| comparison::whole(folder.path(), name, &events(text, &tests)));
    let compared = Comparison::of(
        &[(before, text.to_owned())],
        &[(after, text.to_owned())],
        &ComparisonRules::default(),
    )
    .expect("two reports");
    for width in [None, Some(30), Some(2)] {
        let [json, text] = comparison::printed(&compared, Colouring::Plain, width);
        orders.check("a comparison", &text);
        orders.check("a comparison in JSON", &json);
    }
    orders.check("a comparison in Markdown", &compared.markdown());
    comparison::check_markdown(&compared.markdown());
    orders.check("a comparison in HTML", &compared.html());
    comparison::check_html(&compared.html());

    check_documents(text, &orders);

    let source = Arc::new(SourceFile::new(text, text, format!("a: {text}")));
    for end in [1, 3, text.len() + 3] {
        let found = Diagnostic::error(Code::Syntax, text)
            .at(&source, Span::new(0, end), text)
            .help(text);
        let found = [found, Diagnostic::warning(Code::NoTests, text)];
        let text = human(&found, RenderStyle::default());
        orders.check("what is wrong with a file", &text);
    }
}

#[test]
fn every_report_stays_well_formed_and_harmless() {
    for (number, text) in texts::all().iter().enumerate() {
        check_reports(&format!("hostile-{number}"), text, &everywhere(text));
    }
    check_reports("hostile-somewhere", HOSTILE, &somewhere(HOSTILE));
}

#[test]
fn comparisons_and_diagnostics_stay_well_formed_and_harmless() {
    for text in texts::all() {
        check_others(&text);
    }
}

#[test]
fn only_a_recording_with_a_clear_name_is_attached() {
    for text in texts::all() {
        let mut test = outcomes::ended(Status::Failed, outcomes::outcome("a.test.yaml", "a"));
        test.transcript.recording = Some(text.clone());
        let xml = junit::written_as(
            JunitProfile::Default,
            "hostile-recording",
            &events("", &[test]),
        );
        let root = junit::parsed(&xml);
        let marks = junit::xml_text(&root).matches("[[ATTACHMENT|").count();
        let is_clear =
            !text.contains(|character| deceives(character) || matches!(character, '\n' | ']'));
        assert_eq!(marks, usize::from(is_clear), "{xml}");
    }
}

#[test]
fn findings_are_bounded_whatever_they_quote() {
    let long = "é".repeat(1 << 20);
    let findings = [
        "failure",
        "expected",
        "seen",
        "failure's help",
        "held",
        "problem",
        "problem's help",
        "warning",
        "judge's reason",
        "judge's suggestion",
    ];
    let is_finding = |place: &str| findings.contains(&place) || place == "turn's warning";
    let mut outcome = made_of(|place| {
        if is_finding(place) {
            long.clone()
        } else {
            "plain".to_owned()
        }
    });
    outcome.bound();
    assert!(
        outcome.verdict.warnings[0].ends_with("é… (2080768 more bytes)"),
        "{}",
        outcome.verdict.warnings[0].len()
    );
    // Twice a problem, a failure, a passed rule and a warning; 12 times what was seen by a failure; for both rules what
    // a judge says.
    let most = (2 * (2 + 3 + 12 + 1 + 1 + 4) + 4) * ((16 << 10) + 100);
    let text = json_lines::printed(&events("", &[outcome]));
    assert!(text.len() < most, "{} bytes, {most} at most", text.len());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn so_they_do_with_any_pieces_of_such_texts(text in texts::any()) {
        check_reports("hostile-any", &text, &everywhere(&text));
        check_others(&text);
    }
}
