//! The examples of the documents hold what they say: each whole test is green under an agent of `tests/docs/agents/`, and
//! of the changes that `ananke mutate` makes to a call or an argument that the example names, it notices those that it
//! says it does. Where it says "once", it is red for an agent that calls the tool again with other arguments; where it says
//! "never" or "only", for one that makes such a call.
//!
//! A file of agents is named after its document. Each of its keys is the name of a test, each value has `config`, which is
//! merged into the config of the project, and `files`, by their paths.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::promises::{Promises, TestPromises, one_or_many};
use super::{blocks, documents};

/// The directory of the agents.
const AGENTS: &str = "tests/docs/agents";

/// Examples that are judged elsewhere, with the reason.
const ELSEWHERE: [(&str, &str, &str); 1] = [(
    "docs/verify.md",
    "rules for production",
    "rules without a turn: `verify` applies them to traces that exist",
)];

/// The projects whose tests are examples.
const PROJECTS: [&str; 2] = [
    "examples/pytest/tests/weather.test.yaml",
    "examples/vitest/tests/weather.test.yaml",
];

/// A test file of a document.
struct Example {
    /// The path of the document, from the root of the repository.
    document: String,
    line: usize,
    text: String,
    /// The name of its first test.
    name: String,
    /// The number of the example among those of this name in the document, counted from 1.
    number: usize,
}

impl Example {
    /// The key of its agent: its name, with its number if it has an agent of its own.
    fn agent<'a>(&self, agents: &'a BTreeMap<String, Value>) -> Option<(&'a String, &'a Value)> {
        agents
            .get_key_value(&format!("{} ({})", self.name, self.number))
            .or_else(|| agents.get_key_value(&self.name))
    }

    fn place(&self) -> String {
        format!("{}:{} ({})", self.document, self.line, self.name)
    }
}

/// The YAML of a file as JSON.
fn read_yaml(text: &str, place: &str) -> Value {
    serde_yaml::from_str(text).unwrap_or_else(|error| panic!("{place}: {error}"))
}

/// The tests of a file: it has one, or a list.
fn tests_of(file: &Value) -> &[Value] {
    match &file["tests"] {
        Value::Null => std::slice::from_ref(file),
        tests => one_or_many(tests),
    }
}

/// The whole tests of the documents and of the projects that are examples.
fn examples() -> Vec<Example> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let mut files = documents();
    files.extend(PROJECTS.map(|path| root.join(path)));
    for path in files {
        let text = fs::read_to_string(&path).expect("a document can be read");
        let relative = path.strip_prefix(root).expect("a path of the repository");
        let document = relative.to_string_lossy().replace('\\', "/");
        let all = if PROJECTS.contains(&document.as_str()) {
            vec![super::Block { line: 1, text }]
        } else {
            blocks(&text, "yaml")
        };
        for block in all {
            let place = format!("{document}:{}", block.line);
            let file = read_yaml(&block.text, &place);
            let is_test = |key: &str| !file[key].is_null();
            if !["turns", "tests", "simulate", "messages", "interactive"]
                .into_iter()
                .any(is_test)
            {
                continue;
            }
            let name = tests_of(&file)[0]["name"].as_str().unwrap_or_default();
            let is_same = |other: &&Example| other.document == document && other.name == name;
            let number = found.iter().filter(is_same).count() + 1;
            found.push(Example {
                document: document.clone(),
                line: block.line,
                name: name.to_owned(),
                text: block.text,
                number,
            });
        }
    }
    found
}

/// The agents of a document, by the name of the test.
fn agents_of(document: &str) -> BTreeMap<String, Value> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(AGENTS);
    let path = root.join(format!("{}.yaml", document.replace(['/', '.'], "-")));
    let Ok(text) = fs::read_to_string(&path) else {
        return BTreeMap::new();
    };
    serde_json::from_value(read_yaml(&text, &path.to_string_lossy()))
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The config of the project around an example: what every one has, and over it what the agent says.
fn config(agent: &Value) -> Value {
    let mut config = json!({
        "version": "1.4",
        "target": { "type": "scripted", "agentId": "shop" },
    });
    for (key, value) in agent["config"].as_object().into_iter().flatten() {
        match (&mut config[key], value) {
            (Value::Object(known), Value::Object(more)) => known.extend(more.clone()),
            (place, value) => *place = value.clone(),
        }
    }
    config
}

/// The outcome of the program in a directory.
fn ananke(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ananke"));
    command.args(arguments).current_dir(folder).env_remove("CI");
    command.output().expect("the program can be started")
}

/// The agent which does `instead` wherever it calls `tool`; `None` if it never does.
fn calling_otherwise(
    agent: &Value,
    tool: &str,
    instead: impl Fn(&Value) -> Vec<Value>,
) -> Option<Value> {
    let mut changed = agent.clone();
    let mut is_changed = false;
    for rule in rules_of(&mut changed) {
        let mut steps = Vec::new();
        for step in one_or_many(&rule["do"]) {
            if step["call"]["tool"] == tool {
                steps.extend(instead(step));
                is_changed = true;
            } else {
                steps.push(step.clone());
            }
        }
        rule["do"] = Value::Array(steps);
    }
    is_changed.then_some(changed)
}

/// The call of a step, with another value of `argument`, or of each if there is none.
fn with_other_args(step: &Value, argument: Option<&str>) -> Value {
    let mut call = json!({ "call": step["call"] });
    for (key, value) in call["call"]["args"].as_object_mut().into_iter().flatten() {
        if argument.is_none_or(|argument| argument == key) {
            *value = other(value);
        }
    }
    call
}

/// The agent which calls `tool` first, whatever the user says.
fn calling_first(agent: &Value, tool: &str) -> Option<Value> {
    let mut changed = agent.clone();
    let mut is_changed = false;
    for rule in rules_of(&mut changed) {
        let mut steps = vec![json!({ "call": { "tool": tool, "result": "done" } })];
        steps.extend(one_or_many(&rule["do"]).iter().cloned());
        rule["do"] = Value::Array(steps);
        is_changed = true;
    }
    is_changed.then_some(changed)
}

/// The rules of a scripted agent.
fn rules_of(agent: &mut Value) -> &mut [Value] {
    match &mut agent["config"]["target"]["rules"] {
        Value::Array(rules) => rules,
        _ => &mut [],
    }
}

/// Another value of the same type.
fn other(value: &Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64().unwrap_or_default() + 910.5),
        Value::String(text) => json!(format!("{text}-2")),
        Value::Bool(is_set) => json!(!is_set),
        other => json!([other]),
    }
}

/// The agents under which the example must be red, each with what it does.
fn faulty_agents(agent: &Value, promises: &Promises) -> Vec<(String, Value)> {
    let mut faulty = Vec::new();
    for tool in &promises.once {
        let words = format!("calls `{tool}` again with other arguments");
        let again = |step: &Value| vec![step.clone(), with_other_args(step, None)];
        faulty.extend(calling_otherwise(agent, tool, again).map(|agent| (words, agent)));
    }
    for tool in &promises.never {
        let words = format!("calls `{tool}`");
        faulty.extend(calling_first(agent, tool).map(|agent| (words, agent)));
    }
    if promises.is_only {
        let tool = "delete_everything";
        let words = format!("calls `{tool}`");
        faulty.extend(calling_first(agent, tool).map(|agent| (words, agent)));
    }
    faulty
}

/// The agents under which a simulated conversation must not pass its checkpoints.
fn agents_off_course(agent: &Value, promises: &Promises) -> Vec<(String, Value)> {
    let mut faulty = Vec::new();
    for tool in &promises.required {
        let words = format!("does not call `{tool}`");
        let without = |_: &Value| Vec::new();
        faulty.extend(calling_otherwise(agent, tool, without).map(|agent| (words, agent)));
    }
    for (tool, argument) in &promises.values {
        let words = format!("calls `{tool}` with another `{argument}`");
        let otherwise = |step: &Value| vec![with_other_args(step, Some(argument))];
        faulty.extend(calling_otherwise(agent, tool, otherwise).map(|agent| (words, agent)));
    }
    faulty
}

/// The promises of an example, by the name of the test.
fn promises(example: &Example) -> BTreeMap<String, TestPromises> {
    let mut promised = BTreeMap::new();
    let file = read_yaml(&example.text, &example.place());
    for test in tests_of(&file) {
        let name = test["name"].as_str().unwrap_or_default();
        promised.insert(name.to_owned(), TestPromises::of(test));
    }
    promised
}

/// The project of an example with an agent.
fn project(example: &Example, agent: &Value) -> TempDir {
    let folder = TempDir::new().expect("a directory");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, text).expect("a file");
    };
    write("ananke.config.yaml", &config(agent).to_string());
    write("example.test.yaml", &without_skip(&example.text));
    for (name, text) in agent["files"].as_object().into_iter().flatten() {
        write(name, text.as_str().unwrap_or_default());
    }
    folder
}

/// The text of an example, which runs even if it says that it is skipped.
fn without_skip(text: &str) -> String {
    let mut kept = String::new();
    for line in text.lines() {
        if !line.trim_start().starts_with("skip: ") {
            kept.push_str(line);
        }
        kept.push('\n');
    }
    kept
}

/// The run of an example: without people and judges, recorded.
fn run(folder: &TempDir) -> Output {
    let arguments = [
        "run",
        "--record",
        "recordings",
        "--skip-interactive",
        "--no-judge",
        "example.test.yaml",
    ];
    ananke(folder.path(), &arguments)
}

/// Everything that an example says and that does not hold, and the score of its mutants; the output of a run that is not
/// green is an error.
fn broken_promises(example: &Example, agent: &Value) -> Result<(Vec<String>, String), String> {
    let folder = project(example, agent);
    let output = run(&folder);
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stdout).into_owned();
        return Err(words + &String::from_utf8_lossy(&output.stderr));
    }
    let arguments = ["mutate", "recordings", "--json", "--no-suggestions"];
    let mutate = ananke(folder.path(), &arguments);
    let report: Value = serde_json::from_slice(&mutate.stdout).map_err(|error| {
        let words = String::from_utf8_lossy(&mutate.stderr);
        format!("mutate: {error}: {words}")
    })?;
    let promised = promises(example);
    let mut broken = Vec::new();
    for mutant in one_or_many(&report["survivors"]) {
        let id = mutant["test"].as_str().unwrap_or_default();
        // A row has its id after the name, in brackets; an explicit id replaces the name.
        let of_test = promised
            .iter()
            .find(|(name, _)| promised.len() == 1 || id.contains(&format!("::{name}")));
        if of_test.is_some_and(|(_, promises)| promises.exclude(mutant)) {
            let change = mutant["change"].as_str().unwrap_or_default();
            broken.push(format!("survives: {}: {change}", mutant["operator"]));
        }
    }
    let mut faulty = Vec::new();
    for promises in promised.values() {
        for scope in promises.scopes() {
            faulty.extend(faulty_agents(agent, scope));
        }
        faulty.extend(agents_off_course(agent, &promises.checkpoints));
    }
    let number = faulty.len();
    for (words, agent) in faulty {
        if run(&project(example, &agent)).status.code() != Some(1) {
            broken.push(format!("is not red for an agent that {words}"));
        }
    }
    let summary = &report["summary"];
    let killed = &summary["killed"];
    let total = &summary["total"];
    let score = format!("{killed} of {total} killed, {number} faulty agents tried");
    Ok((broken, score))
}

/// Whether an example starts a program that this machine does not have.
fn lacks_program(example: &Example) -> bool {
    let program = "python3";
    let mut command = Command::new(program);
    example.text.contains(&format!("\"{program}\"")) && command.arg("--version").output().is_err()
}

#[test]
fn an_example_that_says_more_than_it_holds_is_found() {
    let agents = agents_of("README.md");
    let agent = &agents["paying once"];
    let entries = [
        (
            "{ name: charge_card, count: 1, every: { args: { amount: 89.5 } } }",
            0,
        ),
        // A second charge of another amount is not counted.
        ("{ name: charge_card, count: 1, args: { amount: 89.5 } }", 1),
    ];
    for (entry, number) in entries {
        let text = format!(
            "name: paying once\nturns: [{{ user: check out }}, {{ user: pay }}]\nassert: {{ tools: {{ require: [{entry}] }} }}\n"
        );
        let example = Example {
            document: "README.md".to_owned(),
            line: 1,
            text,
            name: "paying once".to_owned(),
            number: 1,
        };
        let (broken, _) = broken_promises(&example, agent).expect("it is green");
        assert_eq!(broken.len(), number, "{entry}: {broken:?}");
    }
}

#[test]
fn every_example_holds_what_it_says() {
    let examples = examples();
    let (mut problems, mut scores) = (String::new(), String::new());
    let mut used: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for example in &examples {
        let is_elsewhere = ELSEWHERE
            .iter()
            .any(|(document, name, _)| *document == example.document && *name == example.name);
        if is_elsewhere {
            continue;
        }
        if lacks_program(example) {
            println!("{}: not run without its program", example.place());
            used.entry(example.document.clone())
                .or_default()
                .insert(example.name.clone());
            continue;
        }
        let agents = agents_of(&example.document);
        let Some((name, agent)) = example.agent(&agents) else {
            let _ = writeln!(problems, "{}: no agent in {AGENTS}", example.place());
            continue;
        };
        used.entry(example.document.clone())
            .or_default()
            .insert(name.clone());
        match broken_promises(example, agent) {
            Err(output) => {
                let _ = writeln!(problems, "{}: it is not green:\n{output}", example.place());
            }
            Ok((broken, score)) => {
                let _ = writeln!(scores, "{}: {score}", example.place());
                for words in broken {
                    let _ = writeln!(problems, "{}: {words}", example.place());
                }
            }
        }
    }
    println!("{scores}");
    for (document, names) in used {
        for name in agents_of(&document).keys() {
            if !names.contains(name) {
                let _ = writeln!(
                    problems,
                    "{document}: an agent for `{name}`, which is no example"
                );
            }
        }
    }
    assert!(
        examples.len() > 60,
        "{} examples were found",
        examples.len()
    );
    assert!(problems.is_empty(), "{problems}");
}
