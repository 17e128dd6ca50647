//! `ananke session --stdio`: a program at the other side of its standard input and output.

mod agent_turns;
mod agents_of_tests;
mod bad_lines;
mod conversations;
mod documented;
#[cfg(unix)]
mod ends;
mod project_tests;
mod recorded_sessions;
mod rules;

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use jsonschema::Validator;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::schema::session_schema;

/// How long a line may take: only a test that fails waits for it.
const PATIENCE: Duration = Duration::from_mins(1);

/// What answers a request of ananke, by its method and parameters: `result` or `error`.
type Answers<'a> = &'a dyn Fn(&str, &Value) -> Value;

/// The program, and the lines that it has printed. It is killed when it is dropped.
struct Rpc {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    next_id: u64,
    /// The folder that it runs in, if it is its own.
    _folder: Option<TempDir>,
}

/// Checks a line with the schema of the protocol.
fn check(line: &Value) {
    static SCHEMA: OnceLock<Validator> = OnceLock::new();
    let schema = SCHEMA.get_or_init(|| jsonschema::validator_for(&session_schema()).unwrap());
    assert!(schema.is_valid(line), "not a line of the protocol: {line}");
}

/// A model that says `text`.
fn says(text: &str) -> Value {
    json!({ "result": { "message": { "content": text } } })
}

/// A model that calls `tool` with an id.
fn calls(calls: &[(&str, &str, Value)]) -> Value {
    let call = |(id, name, arguments): &(&str, &str, Value)| json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } });
    let calls: Vec<Value> = calls.iter().map(call).collect();
    json!({ "result": { "message": { "tool_calls": calls } } })
}

/// The text of the last message.
fn last(params: &Value) -> &str {
    let messages = params["messages"].as_array().unwrap();
    messages.last().unwrap()["content"].as_str().unwrap()
}

/// Whether the model is asked after the answers of tools.
fn is_after_tools(params: &Value) -> bool {
    let messages = params["messages"].as_array().unwrap();
    messages.last().unwrap()["role"] == "tool"
}

/// Nothing is asked.
fn nothing(method: &str, params: &Value) -> Value {
    panic!("nothing should be asked: {method} {params}")
}

impl Rpc {
    /// The program in an empty folder, with `initialize` answered.
    fn start() -> Self {
        let folder = TempDir::new().unwrap();
        let path = folder.path().to_owned();
        Self::spawn(&path, Some(folder)).initialized()
    }

    /// The program in `folder`, with `initialize` answered.
    fn start_in(folder: &Path) -> Self {
        Self::raw(folder).initialized()
    }

    fn initialized(mut self) -> Self {
        let client = json!({ "client": { "name": "test" } });
        let result = self.call("initialize", client).unwrap();
        assert_eq!(result["protocol"], 1);
        self
    }

    /// The program in `folder`.
    fn raw(folder: &Path) -> Self {
        Self::spawn(folder, None)
    }

    fn spawn(folder: &Path, own: Option<TempDir>) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_ananke"))
            .args(["session", "--stdio"])
            .current_dir(folder)
            .env_remove("CI")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || {
            for line in stdout.lines() {
                if sender.send(line.unwrap()).is_err() {
                    return;
                }
            }
        });
        Self {
            stdin: child.stdin.take(),
            child,
            lines,
            next_id: 1,
            _folder: own,
        }
    }

    /// Writes a line as it is.
    fn write(&mut self, line: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(line).unwrap();
        stdin.write_all(b"\n").unwrap();
        stdin.flush().unwrap();
    }

    /// A request with an id of its own.
    fn message(&mut self, method: &str, params: Value) -> Value {
        let id = self.next_id;
        self.next_id += 1;
        let mut message = json!({ "jsonrpc": "2.0", "id": id, "method": method });
        message["params"] = params;
        message
    }

    /// Sends a request; its id.
    fn request(&mut self, method: &str, params: Value) -> u64 {
        let message = self.message(method, params);
        self.write(message.to_string().as_bytes());
        message["id"].as_u64().unwrap()
    }

    /// Answers a request of ananke with `result` or `error`.
    fn answer(&mut self, request: &Value, mut answer: Value) {
        answer["jsonrpc"] = "2.0".into();
        answer["id"] = request["id"].clone();
        self.write(answer.to_string().as_bytes());
    }

    /// The next line.
    fn next(&self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("a line comes");
        let line = serde_json::from_str(&line).expect("a line is JSON");
        check(&line);
        line
    }

    /// The answer to the request `id`, after those of ananke, which `answers` answers; notifications are passed over.
    fn answer_of(&mut self, id: u64, answers: Answers<'_>) -> Result<Value, Value> {
        loop {
            let mut line = self.next();
            match line["method"].as_str().map(str::to_owned) {
                Some(method) if line.get("id").is_some() => {
                    let answer = answers(&method, &line["params"]);
                    self.answer(&line, answer);
                }
                Some(_) => {}
                None => {
                    assert_eq!(line["id"], id, "another answer: {line}");
                    return match line.get_mut("error") {
                        Some(error) => Err(error.take()),
                        None => Ok(line["result"].take()),
                    };
                }
            }
        }
    }

    /// The result of a request during which ananke asks nothing, or its error.
    fn call(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        self.call_with(method, params, &nothing)
    }

    /// The same, with answers to what ananke asks.
    fn call_with(
        &mut self,
        method: &str,
        params: Value,
        answers: Answers<'_>,
    ) -> Result<Value, Value> {
        let message = self.message(method, params);
        self.write(message.to_string().as_bytes());
        let answered = self.answer_of(message["id"].as_u64().unwrap(), answers);
        if answered.is_ok() {
            // What is accepted is a line of the protocol.
            check(&message);
        }
        answered
    }

    /// The code and the message of the error of a request.
    fn error(&mut self, method: &str, params: Value) -> (i64, String) {
        error(self.call(method, params))
    }

    /// A session whose model is this program, with tools of these names.
    fn open(&mut self, tools: &[&str]) -> String {
        let tools: Vec<Value> = tools
            .iter()
            .map(|name| json!({ "name": name, "parameters": { "type": "object" } }))
            .collect();
        let opened = self.call("session/open", json!({ "agent": "caller", "tools": tools }));
        opened.unwrap()["session"].as_str().unwrap().to_owned()
    }

    /// A turn of a session.
    fn run(&mut self, session: &str, input: &str, answers: Answers<'_>) -> Result<Value, Value> {
        let params = json!({ "session": session, "input": input });
        self.call_with("session/run", params, answers)
    }

    /// Ends its input, and waits for its end.
    fn end(mut self) -> ExitStatus {
        drop(self.stdin.take());
        self.child.wait().unwrap()
    }
}

impl Drop for Rpc {
    fn drop(&mut self) {
        drop(self.stdin.take());
        let _has_ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

/// The code and the message of an error.
fn error(result: Result<Value, Value>) -> (i64, String) {
    let error = result.expect_err("the request fails");
    let message = error["message"].as_str().unwrap().to_owned();
    (error["code"].as_i64().unwrap(), message)
}

/// The events of a run, each in a few words.
fn events(run: &Value) -> Vec<String> {
    let in_words = |event: &Value| match event["type"].as_str().unwrap() {
        "message" => format!(
            "{}: {}",
            event["role"].as_str().unwrap(),
            event["content"].as_str().unwrap()
        ),
        "function_call" => format!(
            "{}({})",
            event["name"].as_str().unwrap(),
            event["arguments"]
        ),
        _ => {
            let failed = if event["is_error"] == true {
                " failed"
            } else {
                ""
            };
            format!(
                "{}{failed}: {}",
                event["name"].as_str().unwrap(),
                event["output"]
            )
        }
    };
    run["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(in_words)
        .collect()
}
