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
    let mut tests = outcome_stubs(report);
    tests.extend(argument_stubs(report));
    tests.extend(answer_stubs(report, resume));
    if tests.is_empty() {
        return None;
    }
    let file = literal_value(json!({ "version": NEWEST_VERSION, "tests": tests }));
    Some(to_yaml(&Node::of_json(&file), 0))
}

/// A stub of a test for each outcome of a tool that happened in no test: it requires a call with this outcome.
fn outcome_stubs(report: &CoverageReport) -> Vec<Value> {
    let mut stubs = Vec::new();
    for tool in &report.tools {
        for (outcome, state) in tool.outcomes.all() {
            if state != CoverageState::Never {
                continue;
            }
            let mut required = Value::Object(call_keys(&tool.name));
            // Rules have the two results of a call as `is_error`, and every other outcome, such as pending, as its `status`.
            match outcome {
                "ok" => required["is_error"] = json!(false),
                "error" => required["is_error"] = json!(true),
                status => required["status"] = json!(status),
            }
            stubs.push(stub(&format!("{}: {outcome}", tool.name), &required));
        }
    }
    stubs
}

/// A stub of a test for each value of an argument that no call had: it requires a call with this value.
fn argument_stubs(report: &CoverageReport) -> Vec<Value> {
    let mut stubs = Vec::new();
    for argument in &report.arguments {
        if argument.state != CoverageState::Never {
            continue;
        }
        let name = format!("{}: {} is {}", argument.tool, argument.path, argument.value);
        let mut required = call_keys(&argument.tool);
        // A path that cannot be parsed results in the value alone, which is not an object of arguments. The stub then requires
        // only the tool, and its name still has path and value for the author of the test.
        if let Value::Object(args) = at_path(&argument.path, &argument.value) {
            required.insert("args".to_owned(), Value::Object(args));
        }
        stubs.push(stub(&name, &Value::Object(required)));
    }
    stubs
}

/// A stub of a test for each answer to an interrupt that no test gives. It answers with a turn of the type `resume`, and the run
/// must then finish.
fn answer_stubs(report: &CoverageReport, resume: &str) -> Vec<Value> {
    let mut stubs = Vec::new();
    for interrupt in &report.interrupts {
        for (answer, state) in interrupt.answers.all() {
            if state == CoverageState::Never {
                stubs.push(json!({
                    "name": format!("{}: the interrupt is {answer}", interrupt.name),
                    "skip": SKIPPED,
                    "turns": [{ "user": USER }, { "type": resume, "resume": [{ "status": answer }] }],
                    "assert": { "outcome": "finished" },
                }));
            }
        }
    }
    stubs
}

fn stub(name: &str, required: &Value) -> Value {
    json!({
        "name": name,
        "skip": SKIPPED,
        "turns": [{ "user": USER }],
        "assert": { "tools": { "require": [required] } },
    })
}

/// The arguments in which `value` is at `path`: `{"a": [{"b": value}]}` for `a[].b`. The value alone if the path cannot be
/// parsed.
fn at_path(path: &str, value: &Value) -> Value {
    // Coverage writes "every item of a list" as `[]`, and the parser of paths reads `[*]`, whose step is `ANY`.
    let path = Path::parse_with_wildcards(&path.replace("[]", "[*]"));
    let mut inner = value.clone();
    let Ok(path) = path else {
        return inner;
    };
    // From the innermost part outwards, since each part contains what was built before.
    for step in path.parts().iter().rev() {
        inner = if step == ANY {
            json!([inner])
        } else {
            Value::Object(Map::from_iter([(step.clone(), inner)]))
        };
    }
    inner
}
