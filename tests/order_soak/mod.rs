//! Random conversations on eight protocols and in `verify`, judged by random rules and by a naive judge that shares no code with
//! them.
//!
//! A conversation says what began in which order. Each wire tells it in its own way: texts and arguments come in pieces, ends come
//! later, roles are repeated or left out, and a snapshot shows what the stream left out. None of that may change a verdict.
//! `ANANKE_ORDER_SOAK=20000` tells as many conversations, `ANANKE_ORDER_SOAK_SEED` begins with another one, and
//! `ANANKE_ORDER_SOAK_PROGRAM` names another program to judge. A wrong verdict is shrunk and written to a file, which
//! is judged in every run once it is in `tests/order_soak/kept/`.

mod aisdk_telling;
mod anthropic_telling;
mod case;
mod conversation;
mod dice;
mod http_form;
mod reference;
mod responses_telling;
mod rule;
mod server;
mod telling;

use std::collections::{HashMap, VecDeque};
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Command;
use std::sync::PoisonError;

use serde_json::{Map, Value, json};

use crate::support::project::Project;
use case::{Case, cases};
use conversation::Wire;
use reference::holds;
use server::{Responses, ToldCase};

/// The conversations of each `cargo test`.
const CONVERSATIONS: u64 = 500;

/// The cases of one run of the program.
const AT_ONCE: usize = 4000;

/// The rules with which each list of messages is verified.
const VERIFIED_RULES: usize = 12;

/// The most cases that are shrunk and shown.
const SHOWN: usize = 5;

#[expect(
    clippy::disallowed_methods,
    reason = "a person says how many conversations there are, and of which program"
)]
fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The server of all cases, and the program that judges.
struct Soak {
    address: SocketAddr,
    responses: Responses,
    program: PathBuf,
}

/// A case whose verdict is another one than the naive judge demands.
struct Wrong {
    case: Case,
    found: String,
    expected: &'static str,
}

impl Soak {
    fn start() -> Self {
        let (address, responses) = server::start();
        let program = setting("ANANKE_ORDER_SOAK_PROGRAM").map_or_else(
            || PathBuf::from(env!("CARGO_BIN_EXE_ananke")),
            PathBuf::from,
        );
        Self {
            address,
            responses,
            program,
        }
    }

    /// The results of a command in a project, line by line.
    fn results(&self, project: &Project, arguments: &[&str]) -> Vec<Value> {
        let run = Command::new(&self.program)
            .args(arguments)
            .current_dir(project.folder())
            .output()
            .expect("the program runs");
        let lines = String::from_utf8(run.stdout).expect("text");
        let values = lines
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let results: Vec<Value> = values.filter(|line| line["type"] == "result").collect();
        let errors = String::from_utf8_lossy(&run.stderr).into_owned();
        assert!(!results.is_empty(), "no results: {lines}{errors}");
        results
    }

    /// The project that tells these cases; what each request gets is with the server.
    fn project(&self, told: &[&Case]) -> Project {
        let at = |path: &str| format!("http://{}{path}", self.address);
        let chat = |tools: &str| json!({ "type": "openai", "endpoint": at("/v1"), "model": "m", "tools": tools });
        let card = json!({ "url": at("/a2a/"), "protocolVersion": "0.3", "capabilities": { "streaming": true } });
        let mut targets = Map::new();
        targets.insert("observed".to_owned(), chat("observed"));
        targets.insert("run".to_owned(), chat("run"));
        targets.insert(
            "a2a".to_owned(),
            json!({ "type": "a2a", "agentCard": card, "tool_calls": ["adk"] }),
        );
        targets.insert("mcp".to_owned(), json!({ "type": "mcp", "transport": "http", "protocol": "legacy", "endpoint": at("/mcp") }));
        targets.insert(
            "agui".to_owned(),
            json!({ "type": "agui", "endpoint": at("/agui"), "agentId": "a" }),
        );
        targets.insert(
            "ai-sdk".to_owned(),
            json!({ "type": "ai-sdk", "endpoint": at("/api/chat") }),
        );
        targets.insert("responses".to_owned(), json!({ "type": "responses", "endpoint": at("/v1"), "model": "m", "tools": "observed" }));
        targets.insert("anthropic".to_owned(), json!({ "type": "anthropic", "endpoint": at("/v1"), "model": "m", "tools": "observed" }));
        let (mut tests, mut responses) = (Vec::new(), HashMap::new());
        let mut files: Vec<(String, String)> = Vec::new();
        for (number, case) in told.iter().enumerate() {
            tests.push(case.test(number));
            let turns = case.responses(number);
            if case.wire == Wire::Program {
                let command = json!({ "type": "command", "cmd": ["sh", "agent.sh", number.to_string()], "agentId": "a" });
                targets.insert(format!("program{number}"), command);
                for (turn, bodies) in turns.iter().enumerate() {
                    let events = bodies.iter().flatten();
                    let lines =
                        events.fold(String::new(), |lines, event| lines + &format!("{event}\n"));
                    files.push((format!("told/{number}-{}", turn + 1), lines));
                }
            } else {
                if let Some(form) = case.form {
                    let target = form.target(&at("/http"));
                    targets.insert(form.name(), target);
                }
                let bodies: VecDeque<Vec<Value>> = turns.into_iter().flatten().collect();
                let form = case.form;
                responses.insert(number, ToldCase { form, bodies });
            }
        }
        *self
            .responses
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = responses;
        let config = json!({ "version": "1.4", "target": "agui", "targets": targets });
        files.push(("ananke.config.yaml".to_owned(), config.to_string()));
        files.push((
            "soak.test.yaml".to_owned(),
            json!({ "version": "1.4", "tests": tests }).to_string(),
        ));
        let program = "turn=0\nwhile read -r request; do\n  turn=$((turn + 1))\n  cat \"told/$1-$turn\"\ndone\n";
        files.push(("agent.sh".to_owned(), program.to_owned()));
        let files: Vec<(&str, &str)> = files
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str()))
            .collect();
        Project::new(&files)
    }

    /// The cases among these whose verdicts are wrong.
    fn wrong(&self, told: &[&Case]) -> Vec<Wrong> {
        if told.is_empty() {
            return Vec::new();
        }
        let project = self.project(told);
        let results = self.results(&project, &["run", "--json", "--parallel", "16"]);
        let mut found: HashMap<usize, String> = HashMap::new();
        for result in results {
            let name = result["name"].as_str().unwrap_or_default();
            let number = name
                .strip_prefix("case ")
                .and_then(|number| number.parse().ok());
            let number = number.expect("the name of a case");
            found.insert(number, status(&result));
        }
        let mut wrong = Vec::new();
        for (number, case) in told.iter().enumerate() {
            let found = found
                .remove(&number)
                .unwrap_or_else(|| "nothing".to_owned());
            let expected = case.expected(number);
            if !found.starts_with(expected) {
                let case = (*case).clone();
                wrong.push(Wrong {
                    case,
                    found,
                    expected,
                });
            }
        }
        wrong
    }

    /// The same for lists of messages: each is verified with the rules of so many.
    fn wrongly_verified(&self, told: &[&Case], rules: usize) -> Vec<Wrong> {
        let mut wrong = Vec::new();
        for group in told.chunks(rules) {
            let tests: Vec<Value> = group
                .iter()
                .enumerate()
                .map(|(number, case)| json!({ "name": format!("rule {number}"), "turns": [{ "user": "what is recorded" }], "assert": case.rule.written() }))
                .collect();
            let lists =
                group
                    .iter()
                    .enumerate()
                    .fold(String::new(), |mut lists, (number, case)| {
                        let messages = telling::messages(&case.told(number).0);
                        let _ = writeln!(lists, "{}", json!({ "messages": messages }));
                        lists
                    });
            let rules = json!({ "version": "1.4", "tests": tests }).to_string();
            let project = Project::new(&[("rules.yaml", &rules), ("told.jsonl", &lists)]);
            let results = self.results(
                &project,
                &[
                    "verify",
                    "told.jsonl",
                    "--from",
                    "openai",
                    "--rules",
                    "rules.yaml",
                    "--json",
                ],
            );
            for result in results {
                let name = result["name"].as_str().unwrap_or_default().to_owned();
                let rule = name
                    .split(' ')
                    .nth(1)
                    .and_then(|number| number.parse::<usize>().ok());
                let input = result["turns"][0]["input"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned();
                let list = input
                    .split(' ')
                    .nth(1)
                    .and_then(|number| number.parse::<usize>().ok());
                let (rule, list) = rule
                    .zip(list)
                    .unwrap_or_else(|| panic!("a rule and a list: {result}"));
                let case = Case {
                    rule: group[rule].rule.clone(),
                    ..group[list].clone()
                };
                let (found, expected) = (status(&result), case.expected(list));
                if !found.starts_with(expected) {
                    wrong.push(Wrong {
                        case,
                        found,
                        expected,
                    });
                }
            }
        }
        wrong
    }

    fn all_wrong(&self, told: &[Case], rules: usize) -> Vec<Wrong> {
        let (listed, run): (Vec<&Case>, Vec<&Case>) =
            told.iter().partition(|case| case.wire == Wire::Messages);
        let mut wrong = Vec::new();
        for cases in run.chunks(AT_ONCE) {
            wrong.extend(self.wrong(cases));
        }
        wrong.extend(self.wrongly_verified(&listed, rules));
        wrong
    }

    /// The smallest case that is still wrong.
    fn shrunk(&self, mut wrong: Wrong) -> Wrong {
        loop {
            let smaller = wrong.case.smaller();
            // Each with its own rule: another one would not be smaller.
            let still = self.all_wrong(&smaller, 1);
            match still.into_iter().next() {
                Some(still) => wrong = still,
                None => return wrong,
            }
        }
    }
}

/// The status of a test, and what was not right.
fn status(result: &Value) -> String {
    let status = result["status"].as_str().unwrap_or("nothing");
    if status == "passed" {
        return status.to_owned();
    }
    format!("{status}: {}", result["failures"])
}

/// Everything that is needed to see a wrong verdict again; it is kept as a file.
fn report(wrong: &Wrong) -> String {
    let Wrong {
        case,
        found,
        expected,
    } = wrong;
    let kept = serde_json::to_string_pretty(case).expect("a case is JSON");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("order-soak");
    let file = folder.join(format!("{:?}-{}.json", case.wire, case.seed));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(&file, &kept).expect("a file");
    let told = case.told(0);
    let mut report = format!(
        "{:?}: {found}, and {expected} is right\n{}: keep it in tests/order_soak/kept/\n",
        case.wire,
        file.display()
    );
    let _ = writeln!(report, "{}", case.rule.written());
    for turn in &told.0 {
        let _ = writeln!(report, "  user: {}", turn.user);
        for item in &turn.items {
            let _ = writeln!(report, "    {item:?}");
        }
    }
    for event in case.responses(0).iter().flatten().flatten() {
        let _ = writeln!(report, "  {event}");
    }
    report
}

fn kept() -> Vec<Case> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/order_soak/kept");
    // Without a kept case there is no such directory: git has none that are empty.
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    files.retain(|file| {
        file.extension()
            .is_some_and(|extension| extension == "json")
    });
    let read = |file: &PathBuf| {
        let text = std::fs::read_to_string(file).expect("a kept case");
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    };
    files.iter().map(read).collect()
}

#[test]
fn no_telling_changes_a_verdict() {
    let number = |name: &str| setting(name).and_then(|number| number.parse::<u64>().ok());
    let count = number("ANANKE_ORDER_SOAK").unwrap_or(CONVERSATIONS);
    let first = number("ANANKE_ORDER_SOAK_SEED").unwrap_or(1);
    let soak = Soak::start();
    let mut told: Vec<Case> = (first..first + count).flat_map(cases).collect();
    told.extend(kept());
    let wrong = soak.all_wrong(&told, VERIFIED_RULES);
    let (many, by_wire) = (wrong.len(), counted(&wrong));
    let reports: Vec<String> = wrong
        .into_iter()
        .take(SHOWN)
        .map(|wrong| report(&soak.shrunk(wrong)))
        .collect();
    assert!(
        many == 0,
        "{many} wrong verdicts in {} cases of {count} conversations from seed {first} ({by_wire}):\n{}",
        told.len(),
        reports.join("\n")
    );
}

/// How many verdicts are wrong on each wire.
fn counted(wrong: &[Wrong]) -> String {
    let of = |wire: Wire| wrong.iter().filter(|wrong| wrong.case.wire == wire).count();
    let counts = Wire::ALL.map(|wire| (wire, of(wire)));
    let counts = counts.iter().filter(|(_, count)| *count > 0);
    let words: Vec<String> = counts
        .map(|(wire, count)| format!("{wire:?} {count}"))
        .collect();
    words.join(", ")
}

#[test]
fn the_naive_judge_passes_and_fails() {
    let all: Vec<Case> = (1..200).flat_map(cases).collect();
    for wire in Wire::ALL {
        let of_wire = all.iter().filter(|case| case.wire == wire);
        let (held, broken): (Vec<&Case>, Vec<&Case>) =
            of_wire.partition(|case| holds(&case.rule, &case.told(0)));
        assert!(
            held.len() > 10 && broken.len() > 10,
            "{wire:?}: {} hold, {} do not",
            held.len(),
            broken.len()
        );
    }
}
