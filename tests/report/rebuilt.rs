//! The conversation of a test, rebuilt from the JSON report alone.

use std::process::{Command, Output};

use serde_json::Value;

use crate::support::project::Project;

const CONFIG: &str = r#"version: "1.3"
target:
  type: scripted
  state: { step: start }
  rules:
    - when: { user: "delete" }
      do:
        - think: "They want it gone.\nI had better ask."
        - say: "Let me see."
        - custom: { name: progress, value: { step: 1, of: 2 } }
        - call: { tool: look_up, id: look, args: { account: 7 }, result: { name: shop }, delay_ms: 20 }
        - call: { tool: delete_account, id: delete, args: { account: 7 } }
        - usage: { input_tokens: 120, output_tokens: 30 }
        - interrupt: { id: sure, reason: confirmation, message: "Delete account 7?", call: delete }
        - delay_ms: 40
        - state: { step: gone }
        - answer: { id: delete, result: { deleted: true } }
        - usage: { input_tokens: 10, total_tokens: 11 }
        - say: "Gone.\nAnything else?"
"#;

const TEST: &str = r#"version: "1.3"
name: it asks before it deletes
messages: [{ role: assistant, content: Welcome }]
cases: [{ id: seven, account: 7 }]
turns:
  - user: "delete my account ${account}"
    id: ask
  - type: agui:resume
    resume: [{ status: resolved, payload: { approved: true } }]
    assert:
      timing: { max_duration_ms: 1000 }
      tools: { require: [{ name: delete_account, args_match: { account: "^${account}$" } }] }
assert: { state: [{ path: step, equals: gone }] }
"#;

pub(super) fn ananke(project: &Project, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ananke"));
    command
        .args(arguments)
        .current_dir(project.folder())
        .env_remove("GITHUB_ACTIONS");
    command.output().expect("the program can be started")
}

fn recorded() -> (Project, Output) {
    let project = Project::new(&[("ananke.config.yaml", CONFIG), ("asks.test.yaml", TEST)]);
    let done = ananke(&project, &["run", "--record", "kept"]);
    assert_eq!(
        done.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&done.stdout)
    );
    let arguments = "run -v --replay kept --var X=s3cret -o out.json -o out.jsonl";
    let replayed = ananke(&project, &arguments.split(' ').collect::<Vec<_>>());
    (project, replayed)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

/// What was sent, said and called, one line each; only from the report.
fn rebuilt(result: &Value) -> Vec<String> {
    let mut lines: Vec<String> = list(&result["history"])
        .iter()
        .map(|message| {
            format!(
                "before {}: {}",
                text(&message["role"]),
                text(&message["content"])
            )
        })
        .collect();
    for turn in list(&result["turns"]) {
        lines.push(format!("user: {}", text(&turn["input"])));
        let called_here = |id: &Value| {
            list(&turn["items"])
                .iter()
                .any(|item| item["type"] == "call" && item["id"] == *id)
        };
        for item in list(&turn["items"]) {
            let answer = |item: &Value| {
                list(&turn["items"])
                    .iter()
                    .find(|other| other["type"] == "result" && other["id"] == item["id"])
                    .map(|result| result["result"].to_string())
            };
            match text(&item["type"]) {
                "message" => lines.push(format!("agent: {}", text(&item["text"]))),
                "reasoning" => lines.push(format!("thinks: {}", text(&item["text"]))),
                "custom" => lines.push(format!("custom {} {}", text(&item["name"]), item["value"])),
                "call" => {
                    let result = answer(item)
                        .map(|result| format!(" → {result}"))
                        .unwrap_or_default();
                    lines.push(format!(
                        "call {}({}){result}",
                        text(&item["name"]),
                        item["args"]
                    ));
                }
                "result" if called_here(&item["id"]) => {}
                "result" => lines.push(format!(
                    "result {} of turn {} → {}",
                    text(&item["name"]),
                    item["called_in"],
                    item["result"]
                )),
                other => panic!("an item of the type {other}"),
            }
        }
    }
    lines
}

/// The same lines from the transcript of the console: without times, and without what is not said or called.
fn transcribed(console: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for row in console.lines() {
        let Some(row) = row.strip_prefix("        ") else {
            continue;
        };
        let row = row.split("  (at ").next().unwrap_or(row).trim_end();
        let (label, said) = row.split_at(row.len().min(9));
        match (label.trim(), lines.last_mut()) {
            ("", Some(before)) if label.len() == 9 => {
                before.push('\n');
                before.push_str(said);
            }
            ("user:" | "agent:" | "thinks:" | "before" | "custom" | "call" | "result", _) => {
                lines.push(format!("{} {said}", label.trim()));
            }
            _ => {}
        }
    }
    lines
}

#[test]
fn a_conversation_is_rebuilt_from_the_json_report_alone() {
    let (project, replayed) = recorded();
    let console = String::from_utf8(replayed.stdout).unwrap();
    let report: Value =
        serde_json::from_str(&std::fs::read_to_string(project.folder().join("out.json")).unwrap())
            .unwrap();
    let result = &report["results"][0];
    let rebuilt = rebuilt(result);
    assert_eq!(rebuilt, transcribed(&console), "{console}");
    assert_eq!(rebuilt.len(), 10, "{rebuilt:#?}");
}

#[test]
fn what_a_program_needs_of_a_result_is_there() {
    let (project, _) = recorded();
    let report: Value =
        serde_json::from_str(&std::fs::read_to_string(project.folder().join("out.json")).unwrap())
            .unwrap();
    let result = &report["results"][0];
    assert_eq!(
        (&result["row"], &result["attempts"]),
        (&"seven".into(), &1.into())
    );
    assert_eq!(result["state"], serde_json::json!({ "step": "gone" }));
    // The greeting, the user's two, and the first answer.
    assert_eq!(result["messages_count"], 3, "{result:#}");
    let [first, second] = list(&result["turns"]) else {
        panic!("two turns")
    };
    let events: Vec<u64> = list(&first["items"])
        .iter()
        .map(|item| item["event"].as_u64().unwrap())
        .collect();
    assert!(
        events.is_sorted() && events[0] < events[events.len() - 1],
        "{events:?}"
    );
    let [look, delete] = list(&first["tool_calls"]) else {
        panic!("two calls")
    };
    assert_eq!(
        (&look["id"], &look["status"]),
        (&"look".into(), &"executed".into())
    );
    assert_eq!(look["timestamp"], look["finished"]);
    let took = look["finished"].as_u64().unwrap() - look["started"].as_u64().unwrap();
    assert_eq!((took, &look["duration_ms"]), (20, &20.0.into()));
    assert_eq!(
        (&delete["status"], delete.get("timestamp")),
        (&"pending".into(), None)
    );
    assert_eq!(
        (&first["first_text_ms"], &second["idle_ms"]),
        (&0.0.into(), &0.0.into()),
        "the call was open"
    );
    let rule = |name: &str| {
        let rules = list(&second["assertions"])
            .iter()
            .chain(list(&result["final_assertions"]));
        rules
            .clone()
            .find(|rule| rule["type"] == name)
            .unwrap_or_else(|| panic!("{name} in {result:#}"))
    };
    let duration = rule("timing.max_duration_ms");
    assert_eq!(
        (&duration["value"], &duration["limit"]),
        (&1000.into(), &1000.into())
    );
    assert_eq!(
        (&duration["actual"], &duration["unit"]),
        (&40.0.into(), &"ms".into())
    );
    assert_eq!(duration["expected"], "at most 1 s");
    let written = serde_json::json!({ "name": "delete_account", "args_match": { "account": "^${account}$" } });
    assert_eq!(rule("tools.require")["value"], written, "as it is written");
    let state = rule("state");
    assert_eq!(
        (&state["path"], &state["value"]["equals"]),
        (&"step".into(), &"gone".into())
    );
    let run = &report["run"];
    assert_eq!(
        (&run["config"], &run["target"]),
        (&"ananke.config.yaml".into(), &"default".into())
    );
    assert_eq!(run["command"][6], "X=***", "{run}");
    assert_eq!(run["ananke"], env!("CARGO_PKG_VERSION"));
    let usage =
        serde_json::json!({ "input_tokens": 130, "output_tokens": 30, "total_tokens": 161 });
    assert_eq!(report["summary"]["usage"], usage);
    assert_eq!(report["summary"]["virtual_ms"], 60.0, "20 ms and 40 ms");
    let lines = std::fs::read_to_string(project.folder().join("out.jsonl")).unwrap();
    let last: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert_eq!(last["run"]["target"], "default");
}
