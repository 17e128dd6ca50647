//! Every code is explained: its wrong example has that problem, its right one has none.

use std::process::Command;

use ananke::diagnostic::{Code, Example, ExampleFile};

use crate::support::project::Project;

const CONFIG: &str =
    "version: \"1.0\"\ntarget: { type: agui, agentId: shop, endpoint: \"http://127.0.0.1:1\" }\n";
const TEST: &str = "version: \"1.0\"\nname: a\nturns: [{ user: a, assert: { tools: { forbid: [a] } } }]\n";

/// What no file of a project can show by itself.
const TOLD: [Code; 13] = [
    Code::BadEncoding,
    Code::BadReport,
    Code::ConfigMissing,
    Code::DuplicateId,
    Code::FixedThread,
    Code::LeftOut,
    Code::LimitExceeded,
    Code::NoTests,
    Code::OtherConfig,
    Code::QuarantineExpiry,
    Code::Server,
    Code::Setup,
    Code::Unreadable,
];

fn problems(file: ExampleFile, yaml: &str) -> Vec<String> {
    let (config, test) = match file {
        ExampleFile::Config => (yaml, TEST),
        ExampleFile::Test => (CONFIG, yaml),
    };
    let project = Project::new(&[("ananke.config.yaml", config), ("a.test.yaml", test)])
        .with_environment("AGENT_TOKEN", "long enough");
    project.plan().problems.iter().map(|problem| problem.code.to_string()).collect()
}

#[test]
fn every_example_is_what_it_says() {
    for code in Code::ALL {
        let Some(Example { file, wrong, right }) = code.docs().example else {
            assert!(TOLD.contains(code), "{code} has no example");
            continue;
        };
        assert_eq!(problems(file, wrong), [code.as_str()], "the wrong example of {code}");
        assert_eq!(problems(file, right), [""; 0], "the right example of {code}");
    }
}

#[test]
fn explanations_are_sentences_and_found_by_name() {
    for code in Code::ALL {
        let about = code.docs().about;
        assert!(
            about.ends_with('.') && about.chars().next().is_some_and(char::is_uppercase),
            "{code}: {about}"
        );
        assert_eq!(Code::named(code.as_str()), Some(*code));
    }
    assert_eq!(Code::named("nothing-of-the-kind"), None);
}

#[test]
fn codes_are_sorted() {
    let names: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    assert!(names.is_sorted(), "{names:?}");
}

/// What the guide shows of `ananke explain` is what it prints for the test that the guide shows before it.
#[test]
fn the_guide_shows_what_is_printed() {
    let guide = include_str!("../docs/guide.md");
    let mut blocks = guide.split("\n```");
    let test = blocks.by_ref().find_map(|block| {
        block.strip_prefix("yaml\n").filter(|yaml| yaml.contains("name: checkout flow with validation"))
    });
    let shown = blocks.find_map(|block| block.strip_prefix("console\n$ ananke explain checkout.test.yaml "));
    let (arguments, output) =
        shown.and_then(|shown| shown.split_once('\n')).expect("the guide shows an output");
    let config = concat!(
        "version: \"1.0\"\n",
        "target:\n",
        "  type: agui\n",
        "  endpoint: \"http://127.0.0.1:8000/agent\"\n",
        "  agentId: shop\n",
        "  assert:\n",
        "    timing: { max_duration_ms: 60000, max_idle_ms: 10000 }\n",
        "    text: { must_not_match: [\"exception\", \"fatal\"] }\n",
    );
    let test = test.expect("the guide shows the test").to_owned() + "\n";
    let project = Project::new(&[("ananke.config.yaml", config), ("checkout.test.yaml", &test)]);
    let printed = Command::new(env!("CARGO_BIN_EXE_ananke"))
        .args(["explain", "checkout.test.yaml"])
        .args(arguments.split(' '))
        .current_dir(project.folder())
        .output()
        .expect("the program can be started");
    assert_eq!(String::from_utf8_lossy(&printed.stdout).trim_end(), output);
    assert!(printed.stderr.is_empty(), "{}", String::from_utf8_lossy(&printed.stderr));
}
