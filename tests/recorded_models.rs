//! Models that are recorded and replayed with `ananke model`. Another `ananke model` with a script is the provider.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) const SCRIPT: &str = "version: \"1.4\"
replies:
  - - think: Hm
    - say: One moment.
    - call: { tool: charge_card, args: { amount: 89.5 } }
  - [{ say: You paid 89.50 EUR. }, { usage: { input: 12, output: 5 } }]
";

/// A server of `ananke model`.
pub(crate) struct Model {
    child: Child,
    port: u16,
}

/// The end of a server.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) stderr: String,
}

impl Model {
    pub(crate) fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut model = Self {
            child: command(folder, arguments).spawn().unwrap(),
            port: 0,
        };
        let mut line = String::new();
        let stdout = model.child.stdout.as_mut().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        match line.trim().rsplit_once(':') {
            Some((_, port)) => model.port = port.parse().unwrap(),
            None => panic!("{:?}", model.ended()),
        }
        model
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Ends it as Ctrl-C does.
    pub(crate) fn end(self) -> Ended {
        kill_process(Pid::from_child(&self.child), Signal::INT).unwrap();
        self.ended()
    }

    fn ended(mut self) -> Ended {
        let mut stderr = String::new();
        let pipe = self.child.stderr.as_mut().unwrap();
        pipe.read_to_string(&mut stderr).unwrap();
        Ended {
            code: self.child.wait().unwrap().code().unwrap(),
            stderr,
        }
    }

    pub(crate) fn ask(&self, path: &str, body: &Value) -> (u16, String) {
        let body = body.to_string();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let length = body.len();
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: {length}\r\nauthorization: Bearer sk-in-a-header-123456\r\nanthropic-version: 2023-06-01\r\n\r\n{body}"
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        let (head, body) = response.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        if !head.to_ascii_lowercase().contains("chunked") {
            return (status, body.to_owned());
        }
        let mut whole = String::new();
        let mut rest = body;
        while let Some((size, chunk)) = rest.split_once("\r\n") {
            let size = usize::from_str_radix(size, 16).unwrap();
            whole.push_str(&chunk[..size]);
            rest = &chunk[(size + 2).min(chunk.len())..];
        }
        (status, whole)
    }
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ananke"));
    command.arg("model").args(arguments).current_dir(folder);
    command.env("OPENAI_API_KEY", "sk-of-the-environment-123456");
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// An agent's own code: it asks its model, runs the tool, and asks again.
#[derive(Clone)]
struct Agent {
    model: &'static str,
    system: &'static str,
    user: &'static str,
    result: &'static str,
    tool: Value,
    temperature: f64,
    is_streamed: bool,
    base: &'static str,
}

fn agent() -> Agent {
    Agent {
        model: "gpt-5",
        system: "Never charge twice.",
        user: "Pay my cart.",
        result: "{\"status\":\"charged\"}",
        tool: json!({ "name": "charge_card", "description": "Charges a card.", "parameters": { "type": "object" } }),
        temperature: 0.0,
        is_streamed: false,
        base: "/t/pays%20once/v1",
    }
}

impl Agent {
    /// The texts of the model, or the first refusal.
    fn run(&self, model: &Model) -> Result<Vec<String>, String> {
        let mut messages = vec![
            json!({ "role": "system", "content": self.system }),
            json!({ "role": "user", "content": self.user }),
        ];
        let mut texts = Vec::new();
        loop {
            let tool = json!({ "type": "function", "function": self.tool });
            let body = json!({
                "model": self.model, "messages": messages, "tools": [tool],
                "temperature": self.temperature, "stream": self.is_streamed,
            });
            let path = format!("{}/chat/completions", self.base);
            let (status, answer) = model.ask(&path, &body);
            if status != 200 {
                return Err(answer);
            }
            let message = if self.is_streamed {
                joined(&answer)
            } else {
                let answer: Value = serde_json::from_str(&answer).unwrap();
                answer["choices"][0]["message"].clone()
            };
            texts.push(message["content"].as_str().unwrap_or_default().to_owned());
            let calls = message["tool_calls"].as_array().cloned();
            messages.push(message);
            let Some(calls) = calls else {
                return Ok(texts);
            };
            for call in calls {
                messages.push(
                    json!({ "role": "tool", "tool_call_id": call["id"], "content": self.result }),
                );
            }
        }
    }
}

/// The message of a stream of chunks.
fn joined(stream: &str) -> Value {
    let mut message = json!({ "role": "assistant", "content": "" });
    for line in stream.lines() {
        let Some(data) = line.strip_prefix("data: ") else {
            continue;
        };
        let Ok(chunk) = serde_json::from_str::<Value>(data) else {
            continue;
        };
        let delta = &chunk["choices"][0]["delta"];
        if let Some(text) = delta["content"].as_str() {
            message["content"] = format!("{}{text}", message["content"].as_str().unwrap()).into();
        }
        let call = &delta["tool_calls"][0];
        if call["id"].is_string() {
            message["tool_calls"] = json!([call]);
        } else if let Some(more) = call["function"]["arguments"].as_str() {
            let arguments = &mut message["tool_calls"][0]["function"]["arguments"];
            *arguments = format!("{}{more}", arguments.as_str().unwrap()).into();
        }
    }
    message
}

/// A directory with `rec`, in which the calls of this agent are recorded. The provider is gone.
fn recorded(agent: &Agent) -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("script.yaml"), SCRIPT).unwrap();
    let provider = Model::start(folder.path(), &["--script", "script.yaml"]);
    let arguments = ["--record", "rec", "--upstream", &provider.url()];
    let model = Model::start(folder.path(), &arguments);
    let texts = agent.run(&model).unwrap();
    assert_eq!(texts.last().unwrap(), "You paid 89.50 EUR.");
    let ended = model.end();
    assert_eq!(ended.code, 0, "{ended:?}");
    let origin = format!("recording from {}\n", provider.url());
    assert!(ended.stderr.starts_with(&origin), "{ended:?}");
    assert!(
        ended.stderr.contains("2 calls are recorded in rec/"),
        "{ended:?}"
    );
    assert_eq!(provider.end().code, 0);
    folder
}

fn file(folder: &TempDir) -> std::path::PathBuf {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder.path().join("rec")).unwrap() {
        files.push(entry.unwrap().path());
    }
    assert_eq!(files.len(), 1, "{files:?}");
    files.remove(0)
}

fn replay(folder: &TempDir, agent: &Agent) -> (Result<Vec<String>, String>, Ended) {
    let model = Model::start(folder.path(), &["--replay", "rec"]);
    let answers = agent.run(&model);
    (answers, model.end())
}

#[test]
fn what_is_recorded_replays_without_the_provider() {
    for is_streamed in [false, true] {
        let agent = Agent {
            is_streamed,
            ..agent()
        };
        let folder = recorded(&agent);
        let text = fs::read_to_string(file(&folder)).unwrap();
        for secret in ["sk-in-a-header", "sk-of-the-environment", "authorization"] {
            assert!(!text.contains(secret), "{text}");
        }
        assert!(text.contains("\"api_version\":\"2023-06-01\""), "{text}");
        let (answers, ended) = replay(&folder, &agent);
        assert_eq!(answers.unwrap(), ["One moment.", "You paid 89.50 EUR."]);
        assert_eq!((ended.code, &*ended.stderr), (0, ""));
        // The other form is made from the answer, and said.
        let other = Agent {
            is_streamed: !is_streamed,
            ..agent
        };
        let (answers, ended) = replay(&folder, &other);
        assert_eq!(answers.unwrap(), ["One moment.", "You paid 89.50 EUR."]);
        assert_eq!(ended.code, 0, "{ended:?}");
        assert!(
            ended.stderr.starts_with("warning[model-form]: call 1"),
            "{ended:?}"
        );
    }
}

#[test]
fn a_change_of_the_agent_is_stale_and_shown() {
    let folder = recorded(&agent());
    for (changed, cause, expected, asked) in [
        (
            Agent {
                system: "Charge.",
                ..agent()
            },
            "the system prompt differs",
            "Never charge twice.",
            "Charge.",
        ),
        (
            Agent {
                tool: json!({ "name": "charge_card", "description": "Gives.", "parameters": { "type": "object" } }),
                ..agent()
            },
            "the description of the tool charge_card differs",
            "Charges a card.",
            "Gives.",
        ),
        (
            Agent {
                tool: json!({ "name": "charge_card", "description": "Charges a card.", "parameters": { "type": "object", "properties": {} } }),
                ..agent()
            },
            "the parameters of the tool charge_card differ",
            "{\"type\":\"object\"}",
            "{\"type\":\"object\",\"properties\":{}}",
        ),
        (
            Agent {
                result: "{\"status\":\"declined\"}",
                ..agent()
            },
            "the result of a tool of the agent differs (messages[3])",
            "charge_card → {\"status\":\"charged\"}",
            "charge_card → {\"status\":\"declined\"}",
        ),
        (
            Agent {
                user: "Pay it all.",
                ..agent()
            },
            "what the user said differs (messages[1])",
            "Pay my cart.",
            "Pay it all.",
        ),
        (
            Agent {
                model: "gpt-6",
                ..agent()
            },
            "the model name differs",
            "gpt-5",
            "gpt-6",
        ),
    ] {
        let (answers, ended) = replay(&folder, &changed);
        assert!(answers.unwrap_err().contains("stale-recording"));
        assert_eq!(ended.code, 1, "{ended:?}");
        let lines: Vec<&str> = ended.stderr.lines().collect();
        assert_eq!(lines.len(), 5, "{ended:?}");
        let message = format!(
            "error[stale-recording]: the model was asked something that is not recorded: {cause}"
        );
        assert_eq!(lines[0], message);
        assert!(lines[1].starts_with("  call "), "{ended:?}");
        assert!(
            lines[2].ends_with(&format!("of the recording): {expected}")),
            "{ended:?}"
        );
        assert!(
            lines[3].trim().starts_with("asked:") && lines[3].ends_with(asked),
            "{ended:?}"
        );
        assert_eq!(
            lines[4].trim(),
            "help: if that is meant: ananke model --record rec --upstream URL"
        );
    }
}

#[test]
fn temperature_is_noted_and_keys_are_left_out() {
    let folder = recorded(&agent());
    let hotter = Agent {
        temperature: 1.0,
        ..agent()
    };
    let (answers, ended) = replay(&folder, &hotter);
    answers.unwrap();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(
        ended.stderr.starts_with("warning[model-params]: call 1"),
        "{ended:?}"
    );
}

#[test]
fn without_a_recording_nothing_is_asked_and_the_command_is_printed() {
    let folder = recorded(&agent());
    let output = command(folder.path(), &["--replay", "none"])
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    let expected = "error: there is no recording in `none`\nhelp: record it: ananke model --record none --upstream URL\n";
    assert_eq!(stderr, expected);

    let elsewhere = Agent {
        base: "/t/other/v1",
        ..agent()
    };
    let (answers, ended) = replay(&folder, &elsewhere);
    assert!(
        answers
            .unwrap_err()
            .contains("there is no recording; call 1 of `other`")
    );
    assert_eq!(ended.code, 1);
    for part in [
        "error[model-miss]: there is no recording\n  call 1 of `other`",
        "error[unused-recording]: the agent never asked",
    ] {
        assert!(ended.stderr.contains(part), "{ended:?}");
    }
}

#[test]
fn recording_again_replaces_and_a_problem_writes_nothing() {
    let folder = recorded(&agent());
    let first = fs::read_to_string(file(&folder)).unwrap();
    let arguments = ["--record", "rec", "--upstream", "http://127.0.0.1:1"];
    let model = Model::start(folder.path(), &arguments);
    agent().run(&model).unwrap_err();
    let ended = model.end();
    assert_eq!(ended.code, 1);
    assert!(
        ended
            .stderr
            .contains("error[model-upstream]: the provider at http://127.0.0.1:1 does not answer"),
        "{ended:?}"
    );
    assert_eq!(fs::read_to_string(file(&folder)).unwrap(), first);

    // A refusal that is not overcome leaves a recording without an answer.
    let provider = Model::start(folder.path(), &["--script", "script.yaml"]);
    let arguments = ["--record", "rec", "--upstream", &provider.url()];
    let model = Model::start(folder.path(), &arguments);
    agent().run(&model).unwrap();
    agent().run(&model).unwrap_err();
    let ended = model.end();
    assert!(ended.stderr.contains("error[model-upstream]: the provider did not answer 1 request of the agent\n  the last one got the status 400"), "{ended:?}");
    assert_eq!(fs::read_to_string(file(&folder)).unwrap(), first);
    assert_eq!(provider.end().code, 1);

    let provider = Model::start(folder.path(), &["--script", "script.yaml"]);
    let arguments = ["--record", "rec", "--upstream", &provider.url()];
    let model = Model::start(folder.path(), &arguments);
    let other = Agent {
        system: "Charge.",
        ..agent()
    };
    other.run(&model).unwrap();
    assert_eq!(model.end().code, 0);
    assert_eq!(provider.end().code, 0);
    replay(&folder, &other).0.unwrap();
    replay(&folder, &agent()).0.unwrap_err();
}

#[test]
fn every_api_replays_with_ids_of_its_lane() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("script.yaml"), SCRIPT).unwrap();
    let user = json!([{ "role": "user", "content": "Pay my cart." }]);
    let parameters = json!({ "type": "object" });
    for (path, body) in [
        (
            "/v1/responses",
            json!({ "model": "m", "input": user, "tools": [{ "type": "function", "name": "charge_card", "parameters": parameters }] }),
        ),
        (
            "/v1/messages?beta=true",
            json!({ "model": "m", "max_tokens": 9, "messages": user, "tools": [{ "name": "charge_card", "input_schema": parameters }] }),
        ),
    ] {
        for is_streamed in [false, true] {
            let mut body = body.clone();
            body["stream"] = is_streamed.into();
            let provider = Model::start(folder.path(), &["--script", "script.yaml"]);
            let arguments = ["--record", "rec", "--upstream", &provider.url()];
            let model = Model::start(folder.path(), &arguments);
            let path = format!("/t/shop{path}");
            let (status, live) = model.ask(&path, &body);
            assert_eq!(status, 200, "{live}");
            assert_eq!(model.end().code, 0);
            let provider_says = provider.end();
            assert!(
                provider_says.stderr.contains("reply 2 of 2 was not used"),
                "{provider_says:?}"
            );
            let text = fs::read_to_string(file(&folder)).unwrap();
            let model = Model::start(folder.path(), &["--replay", "rec"]);
            let (status, replayed) = model.ask(&path, &body);
            assert_eq!((status, &replayed), (200, &live));
            // The ids of the provider are in the recording alone: those of this lane have its letters.
            let mut parts = replayed.split("\"call_").skip(1);
            let id = parts.find(|part| !part.starts_with("id\"")).unwrap();
            let id = format!("call_{}", id.split('"').next().unwrap());
            assert!(!text.contains(&id), "{id} in {text}");
            assert_eq!(model.end().code, 0);
        }
    }
}

#[test]
fn a_broken_recording_is_refused_with_its_place() {
    let folder = recorded(&agent());
    let path = file(&folder);
    let name = path.file_name().unwrap().to_str().unwrap().to_owned();
    let text = fs::read_to_string(&path).unwrap();
    let cut = &text[..text.len() / 2];
    let (without_end, _) = text.trim_end().rsplit_once('\n').unwrap();
    let other = text.replacen("\"1.0\"", "\"9.0\"", 1);
    let huge = format!(
        "{}{{\"call\":{}",
        text.lines().next().unwrap(),
        "[".repeat(1 << 20)
    );
    for (broken, line, why) in [
        ("", 1, "the recording has no end"),
        ("hello\n", 1, "this is no line of a recording"),
        (
            "{\"a\":1}\n",
            1,
            "this is not a recording of calls to a model",
        ),
        (cut, cut.lines().count(), "this is no line of a recording"),
        (
            without_end,
            3,
            "the recording has no end: something has cut it",
        ),
        (
            &*other,
            1,
            "the recording has the version `9.0`, and this release reads 1.0",
        ),
        (&*huge, 1, "this is no line of a recording"),
    ] {
        fs::write(&path, broken).unwrap();
        let output = command(folder.path(), &["--replay", "rec"])
            .output()
            .unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        let expected = format!("error: rec/{name}:{line}: {why}");
        assert!(stderr.starts_with(&expected), "{stderr}");
        assert!(
            stderr.contains("help: record it: ananke model --record rec"),
            "{stderr}"
        );
    }
    fs::write(&path, [0xff, 0xfe, 0]).unwrap();
    let output = command(folder.path(), &["--replay", "rec"])
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        stderr.contains("cannot be read: it is not UTF-8"),
        "{stderr}"
    );
    // Two files of one lane would hide each other.
    fs::write(&path, &text).unwrap();
    fs::copy(&path, path.with_extension("copy.jsonl")).unwrap();
    let output = command(folder.path(), &["--replay", "rec"])
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        stderr.contains("two recordings in `rec` are of the lane `pays once`"),
        "{stderr}"
    );
}

#[test]
fn one_source_of_answers_is_named() {
    let folder = TempDir::new().unwrap();
    for arguments in [
        &[][..],
        &["--replay", "a", "--script", "b"],
        &["--record", "a"],
        &["--upstream", "http://h"],
        &["--record", "a", "--upstream", "h"],
        &["--record", "a", "--upstream", "http://h", "--replay", "b"],
    ] {
        let output = command(folder.path(), arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?} {output:?}");
    }
}
