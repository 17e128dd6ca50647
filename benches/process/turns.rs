//! What a turn costs through `ananke session`, compared with the same turn in Rust.

use std::hint::black_box;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use ananke::testing::{AgentTarget, TestSession};
use serde_json::{Value, json};

use crate::measure::Times;

/// How many sessions are held, one after the other.
const SESSIONS: usize = 100;

/// How many turns each has.
const TURNS: usize = 20;

/// An agent that calls a tool and says something.
fn keys() -> Value {
    let call = json!({ "call": { "tool": "weather", "args": { "city": "Paris" }, "result": { "degrees": 21 } } });
    json!({ "rules": [{ "do": [call, { "say": "It is 21 degrees." }] }] })
}

/// The program at the other side of a pipe.
struct Rpc {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    id: u64,
    line: String,
}

impl Rpc {
    fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_ananke"))
            .args(["session", "--stdio"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program can be started");
        let stdin = child.stdin.take().expect("it is a pipe");
        let stdout = BufReader::new(child.stdout.take().expect("it is a pipe"));
        let mut rpc = Self {
            child,
            stdin,
            stdout,
            id: 0,
            line: String::new(),
        };
        rpc.call("initialize", &json!({ "client": { "name": "bench" } }));
        rpc
    }

    fn call(&mut self, method: &str, params: &Value) -> Value {
        self.id += 1;
        let request =
            json!({ "jsonrpc": "2.0", "id": self.id, "method": method, "params": params });
        writeln!(self.stdin, "{request}").expect("the program reads");
        loop {
            self.line.clear();
            self.stdout
                .read_line(&mut self.line)
                .expect("the program answers");
            let mut answer: Value = serde_json::from_str(&self.line).expect("a line is JSON");
            if answer["id"] == self.id {
                assert!(answer.get("error").is_none(), "{answer}");
                return answer["result"].take();
            }
        }
    }
}

/// Prints a line of the table.
fn print(what: &str, times: Vec<Duration>) {
    let times = Times::of(times);
    let [best, median] = [times.best(), times.median()].map(|seconds| seconds * 1e6);
    println!("  {what:<36} best {best:>8.0} µs   median {median:>8.0} µs");
}

/// Measures both, a turn at a time.
pub(crate) fn turns() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("there is room for a runtime");
    let mut times = Vec::with_capacity(SESSIONS * TURNS);
    runtime.block_on(async {
        for _ in 0..SESSIONS {
            let target = AgentTarget::new("scripted", keys());
            let mut session = TestSession::connect(target).expect("the target is right");
            session.start().await.expect("the session begins");
            for _ in 0..TURNS {
                let begun = Instant::now();
                let run = session.run("Weather?").await.expect("the turn ends");
                times.push(begun.elapsed());
                assert_eq!(black_box(run).events().len(), 3);
            }
            session.close().await.expect("the session ends");
        }
    });
    print("in Rust", times);

    let mut rpc = Rpc::start();
    let mut target = keys();
    target["type"] = "scripted".into();
    let mut times = Vec::with_capacity(SESSIONS * TURNS);
    for _ in 0..SESSIONS {
        let opened = rpc.call("session/open", &json!({ "target": target }));
        let session = &opened["session"];
        // The conversation begins with the first run.
        rpc.call("session/mock", &json!({ "session": session, "tools": [] }));
        for _ in 0..TURNS {
            let begun = Instant::now();
            let run = rpc.call(
                "session/run",
                &json!({ "session": session, "input": "Weather?" }),
            );
            times.push(begun.elapsed());
            assert_eq!(run["events"].as_array().map(Vec::len), Some(3));
        }
        rpc.call("session/close", &json!({ "session": session }));
    }
    print("through `ananke session`", times);
    let Rpc {
        mut child, stdin, ..
    } = rpc;
    drop(stdin);
    child.wait().expect("it ends");
}
