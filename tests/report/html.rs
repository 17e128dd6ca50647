//! The HTML report: what a reader sees is a golden file, the page as a whole is well-formed, its data agrees with the JSON
//! report, and nothing that an agent says leaves its place.

use std::fs;
use std::sync::LazyLock;

use ananke::context::Colouring;
use ananke::outcome::{RunEvent, SaidLine, Status, TranscriptLine, Verdict};
use ananke::redact::Sealed;
use ananke::report::Reporter;
use ananke::report::file::html::HtmlReport;
use ananke::report::file::json::JsonReport;
use ananke::report::file::{FileOptions, FileReport};
use ananke::report::terminal::Verbosity;
use ananke::trace::Peer;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use regex::{Captures, Regex};
use ring::digest::{SHA256, digest};
use serde_json::Value;

use super::junit::names;
use super::outcomes::{self, HOSTILE};
use super::{begun, compare, ended, run};
use crate::support::page_outline::{PagePart, page_outline, parts};

pub(super) fn written(events: &[Sealed<RunEvent>]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("deeper/report.html");
    let mut report = Box::new(
        HtmlReport::create(&path, &FileOptions::default()).expect("a report can be begun"),
    );
    for event in events {
        report.event(event).expect("a file takes everything");
    }
    assert!(!path.exists(), "half a report was to be seen");
    report.finish().expect("a file takes everything");
    assert_eq!(names(&folder.path().join("deeper")), ["report.html"]);
    fs::read_to_string(path).expect("UTF-8")
}

fn json(events: &[Sealed<RunEvent>]) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("report.json");
    let mut report = Box::new(
        JsonReport::create(&path, &FileOptions::default()).expect("a report can be begun"),
    );
    for event in events {
        report.event(event).expect("a file takes everything");
    }
    report.finish().expect("a file takes everything");
    serde_json::from_str(&fs::read_to_string(path).expect("UTF-8")).expect("JSON")
}

/// A page without its own style and script, and how a browser knows them: those are files of the repository.
pub(super) fn without_assets(page: &str) -> String {
    static ASSETS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?s)(?P<tag><style>|<script>)[^<].*?</|(?P<sha>sha256-)[A-Za-z0-9+/=]+")
            .expect("the pattern is sound")
    });
    let cut = |found: &Captures<'_>| {
        found.name("tag").map_or_else(
            || "sha256-…".to_owned(),
            |tag| format!("{}…</", tag.as_str()),
        )
    };
    ASSETS.replace_all(page, cut).into_owned()
}

/// The value of the block of data `id`.
pub(super) fn data(page: &str, id: &str) -> Value {
    let begin = format!("<script type=\"application/json\" id=\"{id}\">");
    let blocks: Vec<&str> = page.split(&begin).skip(1).collect();
    let [block] = blocks.as_slice() else {
        panic!("{} blocks of data `{id}`", blocks.len())
    };
    let (json, _) = block.split_once("</script>").expect("an end");
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{id}: {error}\n{json}"))
}

/// Fails if a page of `tests` tests, without its style and script, has an unknown tag, or more or fewer blocks of data.
pub(super) fn check_form(page: &str, tests: usize) {
    let tags: Vec<&str> = page
        .split('<')
        .skip(1)
        .filter_map(|tag| tag.split(['>', ' ']).next())
        .collect();
    let own = [
        "!doctype", "html", "head", "meta", "title", "link", "style", "body", "header", "p", "h1",
        "svg", "rect", "ul", "li", "b", "dl", "div", "dt", "dd", "bdi", "time", "main", "noscript",
        "section", "h2", "pre", "script", "a", "ol", "span", "code", "table", "thead", "tbody",
        "tr", "th", "td", "h3",
    ];
    let links = page.split("<a ").skip(1);
    for link in links {
        let own = "href=\"https://ci.example.org/jobs/7\" rel=\"noreferrer\">";
        let test = link.strip_prefix("href=\"#test=");
        let id = test
            .and_then(|test| test.split_once("\">"))
            .map(|(id, _)| id);
        let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "-._~/%".contains(sign);
        assert!(
            link.starts_with(own) || id.is_some_and(|id| id.chars().all(is_plain)),
            "{link}"
        );
    }
    for tag in &tags {
        assert!(
            own.contains(&tag.trim_start_matches('/')),
            "`{tag}` is no tag of the page's own"
        );
    }
    let blocks = tags.iter().filter(|tag| **tag == "script").count();
    assert_eq!(
        blocks,
        tests + 4,
        "the stories, the summary, the kinds, the list and the script"
    );
}

/// What both reports must contain about a test, read from the page's row and story.
fn of_page(row: &Value, test: &Value) -> Vec<String> {
    let empty = Vec::new();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut told = vec![format!(
        "{} {} {} {}",
        row["id"], row["status"], row["file"], row["duration_ms"]
    )];
    for turn in test["turns"].as_array().unwrap_or(&empty) {
        told.push(format!(
            "{} {} {} {}",
            turn["number"], turn["status"], turn["input"], turn["duration_ms"]
        ));
        for line in list(&turn["lines"]) {
            if line["kind"] == "calls" {
                told.push(format!(
                    "{} {}",
                    line["name"],
                    line.get("duration_ms").unwrap_or(&Value::Null)
                ));
            }
        }
        told.extend(list(&turn["findings"]).iter().map(rule));
        told.extend(list(&turn["passed"]).iter().map(rule));
        told.extend(list(&turn["warnings"]).iter().map(Value::to_string));
    }
    told.extend(list(&test["findings"]).iter().map(rule));
    told.extend(list(&test["passed"]).iter().map(rule));
    told
}

/// The same, read from a result of the JSON report.
fn of_json(result: &Value) -> Vec<String> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut told = vec![format!(
        "{} {} {} {}",
        result["id"], result["status"], result["file"], result["duration_ms"]
    )];
    for turn in list(&result["turns"]) {
        told.push(format!(
            "{} {} {} {}",
            turn["turn"], turn["status"], turn["input"], turn["duration_ms"]
        ));
        for call in list(&turn["tool_calls"]) {
            told.push(format!(
                "{} {}",
                call["name"],
                call.get("duration_ms").unwrap_or(&Value::Null)
            ));
        }
        told.extend(list(&turn["assertions"]).iter().map(rule));
        told.extend(list(&turn["warnings"]).iter().map(Value::to_string));
    }
    told.extend(list(&result["final_assertions"]).iter().map(rule));
    told
}

fn rule(finding: &Value) -> String {
    // The page has the kind alone.
    let rule = finding["rule"].get("kind").unwrap_or(&finding["rule"]);
    let wanted = finding
        .get("wanted")
        .or(finding.get("expected"))
        .filter(|_| finding["message"].is_null());
    format!(
        "{rule} {} {wanted:?} {} {} {}",
        finding["message"], finding["level"], finding["file"], finding["line"]
    )
}

/// The attributes of the elements with this name, and the text in them.
fn elements<'a>(
    parts: &'a [PagePart<'_>],
    wanted: &str,
) -> Vec<(&'a [(&'a str, String)], &'a str)> {
    let found = parts.windows(2).filter_map(|pair| match pair {
        [PagePart::Begin(name, attributes), next] if *name == wanted => match next {
            PagePart::Text(text) => Some((&**attributes, &**text)),
            _ => Some((&**attributes, "")),
        },
        _ => None,
    });
    found.collect()
}

/// The one test of a page as a whole: well-formed, with one style and one script, which the policy allows by their
/// hashes and nothing else, and without a handler of events or an address of another site in an attribute.
#[test]
fn a_page_is_well_formed_and_its_policy_allows_its_own_style_and_script_alone() {
    let runs = [
        outcomes::all_kinds(),
        outcomes::retried(),
        vec![outcomes::hostile()],
        Vec::new(),
    ];
    let mut pages = Vec::from(runs.map(|outcomes| written(&run(outcomes))));
    pages.push(super::comparison::hostile_comparison(3).html());
    for page in pages {
        let parts = parts(&page).unwrap_or_else(|problem| panic!("{problem}\n{page}"));
        let [(_, style)] = elements(&parts, "style")[..] else {
            panic!("one style in\n{page}");
        };
        let scripts = elements(&parts, "script").into_iter();
        let scripts: Vec<&str> = scripts
            .filter(|(attributes, _)| attributes.is_empty())
            .map(|(_, text)| text)
            .collect();
        let [script] = scripts[..] else {
            panic!("one script in\n{page}");
        };
        let hash = |text: &str| {
            let digest = digest(&SHA256, text.as_bytes());
            format!("'sha256-{}'", STANDARD.encode(digest))
        };
        let policy = format!(
            "default-src 'none'; img-src data:; style-src {}; script-src {}; base-uri 'none'; form-action 'none'",
            hash(style),
            hash(script)
        );
        let equivalent = ("http-equiv", "Content-Security-Policy".to_owned());
        let policies: Vec<&[(&str, String)]> = elements(&parts, "meta")
            .into_iter()
            .map(|(attributes, _)| attributes)
            .filter(|attributes| attributes.contains(&equivalent))
            .collect();
        assert_eq!(policies, [[equivalent, ("content", policy)]]);
        for part in &parts {
            let PagePart::Begin(element, attributes) = part else {
                continue;
            };
            for (name, value) in attributes {
                let is_fetched = ["src", "href"].contains(name) && *element != "a";
                assert!(!is_fetched || value == "data:,", "{element} {name}={value}");
                assert!(
                    !name.starts_with("on") && *name != "style",
                    "{element} {name}"
                );
            }
        }
        assert!(page.starts_with("<!doctype html>\n<html lang=\"en\">\n"));
        assert!(page.ends_with("</body>\n</html>\n"));
    }
}

#[test]
fn every_kind_of_test_is_told() {
    let page = written(&run(outcomes::all_kinds()));
    compare(&page_outline(&page), "page.html.outline");
}

#[test]
fn attempts_and_the_quarantine_are_told() {
    let page = written(&run(outcomes::retried()));
    compare(&page_outline(&page), "retried.html.outline");
}

#[test]
fn its_data_is_what_the_json_report_says() {
    for outcomes in [
        outcomes::all_kinds(),
        outcomes::retried(),
        vec![outcomes::hostile()],
    ] {
        let events = run(outcomes);
        let (page, json) = (written(&events), json(&events));
        assert_eq!(data(&page, "summary"), json["summary"]);
        let results = json["results"].as_array().expect("a list");
        let rows = data(&page, "tests");
        assert_eq!(rows.as_array().map(Vec::len), Some(results.len()));
        for (number, result) in results.iter().enumerate() {
            let test = data(&page, &format!("test-{number}"));
            assert_eq!(of_page(&rows[number], &test), of_json(result));
        }
    }
}

#[test]
fn a_run_that_was_cut_short_says_so() {
    let page = written(&begun(9, outcomes::all_kinds()));
    assert!(
        page.contains("<h1>The run ended after 8 of 9 tests</h1>"),
        "{}",
        without_assets(&page)
    );
    assert!(page.contains("<dt>Exit code</dt><dd>none</dd>"));
    let page = written(&ended(Vec::new(), Verdict::default()));
    assert!(
        page.contains("<h1>No test failed</h1>") && page.contains("id=\"tests\">[\n]</script>")
    );
}

#[test]
fn what_an_agent_says_stays_data() {
    let outcomes =
        [false, true].map(|shielded| outcomes::hostile_after_all(Status::Failed, shielded));
    let page = without_assets(&written(&run(outcomes.to_vec())));
    let deceives = |character: char| {
        !matches!(character, '\n' | '\t') && ananke::text::is_confusable(character)
    };
    assert_eq!(page.chars().find(|character| deceives(*character)), None);
    check_form(&page, 2);
    let test = data(&page, "test-0");
    assert_eq!(test["turns"][0]["lines"][0]["text"], HOSTILE);
    assert_eq!(
        test["turns"][0]["findings"][0]["source"][0]["text"],
        HOSTILE
    );
}

#[test]
fn a_call_to_a_server_is_said_once_and_nothing_is_said_by_a_user_or_an_agent() {
    let called = outcomes::calls(1, "search", "{}", Some("2 pairs"), (0, 1000));
    let listed = outcomes::says(5, "[search]");
    let mut outcome = outcomes::outcome("shop.test.yaml", "searches");
    outcome.transcript.peer = Peer::Server;
    outcome.transcript.turns = vec![
        outcomes::turn(1, "(calls a tool) search({})", 1000, vec![called]),
        outcomes::turn(2, "(lists the tools)", 1000, vec![listed]),
    ];
    let events = run(vec![outcomes::ended(Status::Failed, outcome)]);
    let test = data(&written(&events), "test-0");
    assert_eq!(test["turns"][0].get("input_of"), None);
    assert_eq!(test["turns"][1]["input_of"], "request");
    assert_eq!(test["turns"][1]["lines"][0]["by"], "server");
    let console = super::console::printed(&events, Colouring::Plain, Verbosity::Verbose);
    for text in [console, super::markdown::written("server", &events)] {
        assert_eq!(text.matches("search({})").count(), 1, "{text}");
        assert!(text.contains("call     search({}) → 2 pairs"), "{text}");
        assert!(text.contains("request  (lists the tools)"), "{text}");
        assert!(text.contains("server:  [search]"), "{text}");
        assert!(
            !text.contains("user:") && !text.contains("agent:"),
            "{text}"
        );
    }
}

#[test]
fn the_page_marks_the_signs_that_are_escaped_elsewhere() {
    let script = include_str!("../../crates/report/src/report/file/html/text.js");
    let (_, rest) = script.split_once("new RegExp(").expect("a pattern");
    let (pattern, _) = rest.split_once("\"gu\"").expect("its end");
    let class: String = pattern.split('"').skip(1).step_by(2).collect();
    let class = regex::Regex::new(&class.replace("\\\\", "\\")).expect("a class of characters");
    for character in (0..=u32::from(char::MAX)).filter_map(char::from_u32) {
        let is_marked = class.is_match(character.encode_utf8(&mut [0; 4]));
        let deceives = !matches!(character, '\n' | '\t') && ananke::text::is_confusable(character);
        assert_eq!(is_marked, deceives, "U+{:04X}", u32::from(character));
    }
}

#[test]
fn a_test_of_megabytes_is_told_in_half_a_one() {
    let says = |number: u32| {
        TranscriptLine::Says(SaidLine {
            event: (1, number).into(),
            text: "<".repeat(16 << 10),
            ..SaidLine::default()
        })
    };
    let turn = outcomes::turn(1, "talk", 1000, (1..=1000).map(says).collect());
    let long = outcomes::outcome("long.test.yaml", "long");
    let long = outcomes::changed(long, |outcome| outcome.transcript.turns.push(turn));
    let page = written(&run(vec![long]));
    let test = data(&page, "test-0");
    let lines = test["turns"][0]["lines"].as_array().expect("lines");
    let left_out = lines
        .iter()
        .find_map(|line| line["lines"].as_u64())
        .expect("a note of what is left out");
    assert_eq!(left_out + lines.len() as u64 - 1, 1000);
    let told: usize = lines
        .iter()
        .filter_map(|line| line["text"].as_str())
        .map(str::len)
        .sum();
    assert_eq!(told, 512 << 10);
}

#[test]
fn browsers_without_scripts_see_what_did_not_pass_and_not_too_much_of_it() {
    let failed = |number: usize| {
        let outcome = outcomes::outcome("many.test.yaml", &format!("number {number}"));
        outcomes::ended(Status::Failed, outcome)
    };
    let page = written(&run((1..=103).map(failed).collect()));
    let (_, plain) = page.split_once("<noscript>").expect("a part for them");
    let (plain, _) = plain.split_once("</noscript>").expect("its end");
    assert_eq!(plain.matches("<section").count(), 100);
    assert!(
        plain.contains("<h2>failed: many.test.yaml::number 100</h2>")
            && plain.contains("… and 3 more")
    );
}
