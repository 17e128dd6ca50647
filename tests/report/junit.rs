//! The JUnit report, for build servers.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};

use ananke::outcome::{RunEvent, Status};
use ananke::redact::Sealed;
use ananke::report::Reporter;
use ananke::report::ci::BuildJob;
use ananke::report::file::junit::{JunitProfile, JunitReport};
use ananke::report::file::{FileOptions, FileReport};
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::outcomes::{self, HOSTILE};
use super::{begun, compare, in_job, run};

/// A new empty folder for one test.
pub(super) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("junit")
        .join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("a folder of these tests");
    }
    folder
}

pub(super) fn written(name: &str, events: &[Sealed<RunEvent>]) -> String {
    written_as(JunitProfile::Default, name, events)
}

/// The report of `profile` of a run.
pub(super) fn written_as(profile: JunitProfile, name: &str, events: &[Sealed<RunEvent>]) -> String {
    let folder = folder(name);
    let path = folder.join("deep/reports/junit.xml");
    let mut report = Box::new(
        JunitReport::create(
            &path,
            &FileOptions {
                junit_profile: profile,
                ..FileOptions::default()
            },
        )
        .expect("folders are made"),
    );
    for event in events {
        report.event(event).expect("a writable folder");
    }
    report.finish().expect("a writable folder");
    assert_eq!(
        names(path.parent().expect("a folder")),
        ["junit.xml"],
        "nothing else is left"
    );
    fs::read_to_string(path).expect("UTF-8")
}

pub(super) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    entries
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect()
}

/// An element as a reader gets it.
#[derive(Debug, Default)]
pub(super) struct Node {
    name: String,
    pub(super) attributes: Vec<(String, String)>,
    pub(super) text: String,
    pub(super) children: Vec<Node>,
}

impl Node {
    fn start(element: &BytesStart<'_>) -> Self {
        let attributes = element.attributes().map(|attribute| {
            let attribute = attribute.expect("a well-formed attribute");
            let value = attribute
                .normalized_value(XmlVersion::Explicit1_0)
                .expect("known entities");
            (attribute.key.as_ref().to_owned(), value.into_owned())
        });
        let attributes = attributes.collect();
        Self {
            name: element.name().as_ref().to_owned(),
            attributes,
            ..Self::default()
        }
    }

    pub(super) fn get(&self, key: &str) -> &str {
        let found = self.attributes.iter().find(|(name, _)| name == key);
        found.map_or_else(|| panic!("{} has no {key}", self.name), |(_, value)| value)
    }

    pub(super) fn number(&self, key: &str) -> usize {
        self.get(key).parse().expect("a number")
    }

    pub(super) fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Node> {
        self.children.iter().filter(move |child| child.name == name)
    }
}

pub(super) fn parsed(xml: &str) -> Node {
    let bad = xml.chars().find(|character| {
        matches!(character, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
    });
    assert_eq!(bad, None, "a character that XML forbids");
    let mut reader = Reader::from_str(xml);
    let mut open = vec![Node::default()];
    loop {
        match reader.read_event().expect("well-formed XML") {
            Event::Start(element) => open.push(Node::start(&element)),
            Event::Empty(element) => open
                .last_mut()
                .expect("a root")
                .children
                .push(Node::start(&element)),
            Event::End(_) => {
                let node = open.pop().expect("an open element");
                open.last_mut().expect("a root").children.push(node);
            }
            Event::Text(text) => open.last_mut().expect("a root").text.push_str(&text),
            Event::GeneralRef(reference) => {
                let text =
                    quick_xml::escape::unescape(&format!("&{};", &*reference)).map(Cow::into_owned);
                open.last_mut()
                    .expect("a root")
                    .text
                    .push_str(&text.expect("a known entity"));
            }
            Event::Eof => break,
            _ => {}
        }
    }
    let mut document = open.pop().expect("the document");
    assert!(open.is_empty() && document.children.len() == 1);
    document.children.remove(0)
}

/// Every text below `node`.
pub(super) fn xml_text(node: &Node) -> String {
    node.text.clone() + &node.children.iter().map(xml_text).collect::<String>()
}

pub(super) fn check_totals(root: &Node) {
    let mut all = [0; 4];
    let keys = ["tests", "failures", "errors", "skipped"];
    for suite in root.named("testsuite") {
        let count = |name| {
            suite
                .named("testcase")
                .filter(|case| case.named(name).next().is_some())
                .count()
        };
        let counted = [
            suite.named("testcase").count(),
            count("failure"),
            count("error"),
            count("skipped"),
        ];
        assert_eq!(keys.map(|key| suite.number(key)), counted);
        for (sum, count) in all.iter_mut().zip(counted) {
            *sum += count;
        }
    }
    // The root of the strict profile has no totals.
    if root.attributes.is_empty() {
        return;
    }
    assert_eq!(keys.map(|key| root.number(key)), all);
    // Each time is rounded by itself, to a thousandth.
    let thousandths = |node: &Node| {
        let time = node.attributes.iter().find(|(name, _)| name == "time");
        time.map_or(0, |(_, seconds)| seconds.replace('.', "").parse().unwrap())
    };
    let suites: usize = root.named("testsuite").map(thousandths).sum();
    let sum = thousandths(root);
    assert!(
        sum.abs_diff(suites) <= root.children.len(),
        "{sum} and {suites}"
    );
}

#[test]
fn names_come_from_the_id_and_files_from_the_root_of_the_project() {
    let mut outcomes = outcomes::all_kinds();
    for outcome in &mut outcomes {
        outcome.test.file = format!("../{}", outcome.test.path);
    }
    outcomes[2].test.target = "gpt-6.1-sol".to_owned();
    outcomes[2].test.is_default_target = false;
    let job = BuildJob::of(&in_job(&[
        ("GITHUB_ACTIONS", "true"),
        ("GITHUB_WORKSPACE", "/checkout"),
    ]));
    let path = folder("names").join("junit.xml");
    let options = FileOptions {
        job,
        ..FileOptions::default()
    };
    let mut report = Box::new(JunitReport::create(&path, &options).expect("folders are made"));
    for event in run(outcomes) {
        report.event(&event).expect("a writable folder");
    }
    report.finish().expect("a writable folder");
    let suites = parsed(&std::fs::read_to_string(path).expect("UTF-8")).children;
    let names: Vec<_> = suites.iter().map(|suite| suite.get("name")).collect();
    let expected = [
        "specs/browse.test.yaml",
        "specs/checkout.test.yaml [gpt-6.1-sol]",
        "specs/checkout.test.yaml",
        "specs/trouble.test.yaml",
    ];
    assert_eq!(names, expected);
    let case = suites[1].named("testcase").next().expect("a case");
    assert_eq!(case.get("classname"), "specs.checkout [gpt-6_1-sol]");
    assert_eq!(case.get("file"), "repository/specs/checkout.test.yaml");
    let failure = case.named("failure").next().expect("a failure");
    let message = "`charge_card` was called 2 times, expected exactly 1 (and 1 more)";
    assert_eq!(failure.get("message"), message);
}

#[test]
fn a_run_with_every_status() {
    let xml = written("all", &run(outcomes::all_kinds()));
    let root = parsed(&xml);
    check_totals(&root);
    assert_eq!(
        ["tests", "failures", "errors", "skipped"].map(|key| root.number(key)),
        [8, 2, 3, 1]
    );
    compare(&xml, "junit.xml");
}

#[test]
fn hostile_text_stays_text() {
    for status in [
        Status::Passed,
        Status::Failed,
        Status::Error,
        Status::Timeout,
        Status::Skipped,
        Status::Undecided,
    ] {
        let outcome = outcomes::ended(status, outcomes::hostile());
        let root = parsed(&written(
            &format!("hostile-{}", status.as_str()),
            &run(vec![outcome]),
        ));
        check_totals(&root);
        let case = root
            .named("testsuite")
            .next()
            .and_then(|suite| suite.named("testcase").next());
        let case = case.expect("a case");
        let allowed = HOSTILE.replace(['\0', '\u{8}', '\u{1b}', '\u{fffe}', '\u{ffff}'], "");
        assert_eq!(case.get("file"), allowed);
        assert!(!case.get("name").contains('\n') && case.get("name").contains("\\u{1b}[2J"));
        let properties = case.named("properties").next().expect("properties");
        for property in properties.named("property") {
            let own = match property.get("name") {
                "runs" => "5",
                "virtual_time" => "true",
                "walks" => "4294967295",
                "passed_walks" => "1",
                "seed" => "18446744073709551615",
                "pass_rate" => "40",
                "stability" => "highly_unstable",
                "picks" => &format!("{allowed} 1/1"),
                _ => allowed.as_str(),
            };
            assert_eq!(property.get("value"), own, "{}", property.get("name"));
        }
        let transcript = &case.named("system-out").next().expect("a transcript").text;
        assert!(
            !xml_text(case).contains("[[ATTACHMENT|"),
            "a file of the machine would be published"
        );
        assert!(
            transcript.contains("]]> <script>alert('x')</script> & \"q\" \\u{0}"),
            "{transcript}"
        );
    }
}

#[test]
fn attempts_are_told_as_surefire_does() {
    let xml = written("retried", &run(outcomes::retried()));
    let root = parsed(&xml);
    check_totals(&root);
    compare(&xml, "retried.xml");
    let cases: Vec<&Node> = root
        .named("testsuite")
        .flat_map(|suite| suite.named("testcase"))
        .collect();
    let found: Vec<String> = cases
        .iter()
        .map(|case| {
            let told = |child: &&Node| !["properties", "system-out"].contains(&child.name.as_str());
            let names = case
                .children
                .iter()
                .filter(told)
                .map(|child| child.name.as_str());
            format!(
                "{}: {}",
                case.get("name"),
                names.collect::<Vec<_>>().join(" ")
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            "browses coats: flakyFailure flakyError",
            "pays once: failure rerunError rerunFailure",
            "crashes: error rerunFailure",
            "still fails: skipped",
            "hangs, tried twice: skipped",
            "passes beside it: ",
            "is flaky: flakyError",
            "is mended: ",
        ]
    );
    for attempt in cases
        .iter()
        .flat_map(|case| &case.children)
        .filter(|child| {
            ["flakyFailure", "flakyError", "rerunFailure", "rerunError"]
                .contains(&child.name.as_str())
        })
    {
        assert!(!attempt.get("message").is_empty() && !attempt.get("type").is_empty());
        let parts: Vec<&str> = attempt
            .children
            .iter()
            .map(|part| part.name.as_str())
            .collect();
        assert_eq!(parts, ["stackTrace", "system-out"]);
        let first = attempt
            .get("message")
            .split(" (and ")
            .next()
            .expect("a part");
        assert!(
            attempt
                .children
                .iter()
                .all(|part| part.text.contains(first))
        );
    }
    let skipped = cases[3]
        .named("skipped")
        .next()
        .expect("a test in quarantine does not fail a build");
    assert_eq!(
        skipped.get("message"),
        "quarantined until 2999-12-31 (payments): failed: `validate_cart` was never called"
    );
    assert!(
        xml_text(cases[4]).contains("attempt 1 of 2  failed"),
        "no attempt is lost"
    );
}

#[test]
fn hostile_attempts_stay_text() {
    for status in [
        Status::Passed,
        Status::Failed,
        Status::Error,
        Status::Timeout,
    ] {
        for in_quarantine in [false, true] {
            let outcome = outcomes::hostile_after_all(status, in_quarantine);
            let name = format!("hostile-again-{}-{in_quarantine}", status.as_str());
            let root = parsed(&written(&name, &run(vec![outcome])));
            check_totals(&root);
            assert!(
                !xml_text(&root).contains("[[ATTACHMENT|"),
                "a file of the machine would be published"
            );
        }
    }
}

#[test]
fn cases_of_one_file_share_a_suite_however_they_arrive() {
    let files = [
        "b.test.yaml",
        "a.test.yaml",
        "b.test.yaml",
        "a.test.yaml",
        "b.test.yaml",
    ];
    let cases = files
        .iter()
        .enumerate()
        .map(|(number, file)| outcomes::outcome(file, &format!("t{number}")));
    let root = parsed(&written("mixed", &run(cases.collect())));
    check_totals(&root);
    let suites: Vec<(&str, Vec<&str>)> = root
        .named("testsuite")
        .map(|suite| {
            (
                suite.get("name"),
                suite
                    .named("testcase")
                    .map(|case| case.get("name"))
                    .collect(),
            )
        })
        .collect();
    assert_eq!(
        suites,
        [
            ("b.test.yaml", vec!["t0", "t2", "t4"]),
            ("a.test.yaml", vec!["t1", "t3"])
        ]
    );
}

#[test]
fn names_differ_where_ids_do() {
    let given = |id: &str| {
        let outcome = outcomes::outcome("a.test.yaml", "pays");
        outcomes::changed(outcome, |outcome| id.clone_into(&mut outcome.test.id))
    };
    let root = parsed(&written(
        "names",
        &run(vec![
            given("a.test.yaml::pays[1]"),
            given("a.test.yaml::pays[2]"),
            given("own-id"),
        ]),
    ));
    let suite = root.named("testsuite").next().expect("a suite");
    let names: Vec<&str> = suite
        .named("testcase")
        .map(|case| case.get("name"))
        .collect();
    assert_eq!(names, ["pays[1]", "pays[2]", "pays (own-id)"]);
}

#[test]
fn a_run_cut_short_is_well_formed() {
    let mut outcomes = outcomes::all_kinds();
    outcomes.truncate(3);
    let root = parsed(&written("cut", &begun(8, outcomes)));
    check_totals(&root);
    assert_eq!(root.get("time"), "2.791");
    let nothing = parsed(&written("nothing", &[]));
    assert_eq!((nothing.number("tests"), nothing.children.len()), (0, 0));
}

#[test]
fn what_is_there_is_replaced_only_at_the_end() {
    let folder = folder("replaced");
    fs::create_dir_all(&folder).expect("a writable folder");
    let path = folder.join("junit.xml");
    fs::write(&path, "old").expect("a writable folder");
    let mut report =
        Box::new(JunitReport::create(&path, &FileOptions::default()).expect("a writable folder"));
    for event in run(outcomes::all_kinds()) {
        report.event(&event).expect("a writable folder");
    }
    assert_eq!(fs::read_to_string(&path).expect("the old report"), "old");
    assert_eq!(names(&folder).len(), 2);
    drop(report);
    assert_eq!(
        names(&folder),
        ["junit.xml"],
        "a report that is given up leaves nothing"
    );
    assert_eq!(fs::read_to_string(&path).expect("the old report"), "old");
}

#[test]
fn two_reports_do_not_share_a_spool() {
    let path = folder("two").join("junit.xml");
    let one =
        Box::new(JunitReport::create(&path, &FileOptions::default()).expect("a writable folder"));
    let two =
        Box::new(JunitReport::create(&path, &FileOptions::default()).expect("a writable folder"));
    one.finish().expect("a writable folder");
    two.finish().expect("a writable folder");
    assert_eq!(names(path.parent().expect("a folder")), ["junit.xml"]);
}

#[test]
fn a_folder_is_no_destination() {
    let folder = folder("taken");
    fs::create_dir_all(&folder).expect("a writable folder");
    assert!(JunitReport::create(&folder, &FileOptions::default()).is_err());
    assert!(JunitReport::create(&folder.join(".."), &FileOptions::default()).is_err());
}
