//! Tests to be completed, for what no test does.

use serde_json::{Map, Value, json};

use ananke_base::source::{Node, to_yaml};
use ananke_model::model::NEWEST_VERSION;
use ananke_model::variables::{call_keys, literal_value};
use ananke_trace::outcome::coverage::{CoverageReport, CoverageState};
use ananke_trace::trace::{ANY, Path};

/// The reason that a stub does not run.
const SKIPPED: &str = "not written yet";

/// The message of its user.
const USER: &str = "Write what makes the agent do this";

/// A test file with a skipped test for every outcome, value and answer that occurs in no test; `None` if there is none.
/// Interrupts are answered by turns of the type `resume`. Names and values of agents are text in it, never references.
pub fn stubs(report: &CoverageReport, resume: &str) -> Option<String> {
    let tests: Vec<Value> = outcome_stubs(report)
        .chain(argument_stubs(report))
        .chain(answer_stubs(report, resume))
        .collect();
    if tests.is_empty() {
        return None;
    }
    let file = literal_value(json!({ "version": NEWEST_VERSION, "tests": tests }));
    Some(to_yaml(&Node::of_json(&file), 0))
}

fn outcome_stubs(report: &CoverageReport) -> impl Iterator<Item = Value> {
    let holes = report.tools.iter().flat_map(|tool| {
        let never = tool
            .outcomes
            .all()
            .into_iter()
            .filter(|(_, state)| *state == CoverageState::Never);
        never.map(move |(outcome, _)| (&tool.name, outcome))
    });
    holes.map(|(tool, outcome)| {
        let mut required = Value::Object(call_keys(tool));
        match outcome {
            "ok" => required["is_error"] = json!(false),
            "error" => required["is_error"] = json!(true),
            status => required["status"] = json!(status),
        }
        stub(&format!("{tool}: {outcome}"), &required)
    })
}

fn argument_stubs(report: &CoverageReport) -> impl Iterator<Item = Value> {
    let holes = report
        .arguments
        .iter()
        .filter(|argument| argument.state == CoverageState::Never);
    holes.map(|argument| {
        let name = format!("{}: {} is {}", argument.tool, argument.path, argument.value);
        let mut required = call_keys(&argument.tool);
        if let Value::Object(args) = at_path(&argument.path, &argument.value) {
            required.insert("args".to_owned(), Value::Object(args));
        }
        stub(&name, &Value::Object(required))
    })
}

fn answer_stubs(report: &CoverageReport, resume: &str) -> impl Iterator<Item = Value> {
    let holes = report.interrupts.iter().flat_map(|interrupt| {
        let never = interrupt
            .answers
            .all()
            .into_iter()
            .filter(|(_, state)| *state == CoverageState::Never);
        never.map(move |(answer, _)| (&interrupt.name, answer))
    });
    holes.map(move |(name, answer)| {
        json!({
            "name": format!("{name}: the interrupt is {answer}"),
            "skip": SKIPPED,
            "turns": [{ "user": USER }, { "type": resume, "resume": [{ "status": answer }] }],
            "assert": { "outcome": "finished" },
        })
    })
}

fn stub(name: &str, required: &Value) -> Value {
    json!({
        "name": name,
        "skip": SKIPPED,
        "turns": [{ "user": USER }],
        "assert": { "tools": { "require": [required] } },
    })
}

/// A value inside objects and lists: what `args` contains.
fn at_path(path: &str, value: &Value) -> Value {
    let path = Path::parse_with_wildcards(&path.replace("[]", "[*]"));
    let steps = path.map(|path| path.parts().to_vec()).unwrap_or_default();
    steps.iter().rev().fold(value.clone(), |inner, step| {
        if step == ANY {
            return json!([inner]);
        }
        Value::Object(Map::from_iter([(step.clone(), inner)]))
    })
}
