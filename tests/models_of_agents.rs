//! `ananke model`: a script in place of the model that a command asks. The command is a shell that sends requests itself.
#![cfg(unix)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::project::Project;

/// Functions of a shell: `ask PATH BODY` sends a request and prints the response.
const SHELL: &str = r#"
address="${OPENAI_BASE_URL#http://}"
address="${address%%/*}"
ask() {
    exec 3<>"/dev/tcp/${address%:*}/${address##*:}"
    printf 'POST %s HTTP/1.0\r\nhost: %s\r\ncontent-type: application/json\r\n%scontent-length: %d\r\n\r\n%s' "$1" "$address" "$3" "${#2}" "$2" >&3
    cat <&3
    exec 3>&-
}
"#;

const TOOLS: &str = r#"[{"type":"function","function":{"name":"charge_card","parameters":{"type":"object","properties":{"amount":{"type":"number"}},"required":["amount"]}}}]"#;

/// A request of chat completions with these messages.
fn chat(messages: &Value) -> String {
    let tools: Value = serde_json::from_str(TOOLS).unwrap();
    json!({ "model": "gpt-5", "messages": messages, "tools": tools }).to_string()
}

fn user(text: &str) -> String {
    chat(&json!([{ "role": "user", "content": text }]))
}

/// The program with this script, whose command is a shell that runs `commands`.
fn model(script: &str, commands: &str) -> Output {
    let project = Project::new(&[("s.yaml", script)]);
    Command::new(env!("CARGO_BIN_EXE_ananke"))
        .args(["model", "--script", "s.yaml", "--log", "log.jsonl", "--"])
        .args(["bash", "-c", &format!("{SHELL}\n{commands}")])
        .current_dir(project.folder())
        .env("OPENAI_API_KEY", "sk-real")
        .env("GROQ_API_KEY", "gsk-real")
        .output()
        .expect("the program can be started")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const PAYS: &str =
    "replies:\n  - call: { tool: charge_card, args: { amount: 89.5 } }\n  - say: Paid.\n";

#[test]
fn a_command_gets_the_answers_of_the_script_and_its_exit_code_counts() {
    let rounds = format!(
        "ask /v1/chat/completions '{}'; ask /v1/chat/completions '{}'; echo \"$OPENAI_API_KEY ${{GROQ_API_KEY-gone}}\"; exit 7",
        user("Pay"),
        user("Pay")
    );
    let output = model(PAYS, &rounds);
    assert_eq!(output.status.code(), Some(7), "{}", stderr(&output));
    let printed = stdout(&output);
    assert!(printed.contains(r#"{\"amount\":89.5}"#), "{printed}");
    assert!(printed.contains(r#""content":"Paid.""#), "{printed}");
    assert!(printed.ends_with("ananke-no-key gone\n"), "{printed}");
    let first = stderr(&output);
    assert!(
        first.starts_with("the model is at http://127.0.0.1:"),
        "{first}"
    );
}

#[test]
fn what_nothing_answers_is_an_error_in_the_form_of_the_api() {
    let messages_api = json!({ "model": "claude", "max_tokens": 9, "messages": [{ "role": "user", "content": "Pay" }] });
    let responses_api = json!({ "model": "gpt-5", "input": "Pay" });
    let rounds = format!(
        "ask /v1/messages '{messages_api}'; ask /v1/responses '{responses_api}'; ask /v1/nothing '{{}}'; ask /v1/chat/completions '[]'"
    );
    let output = model(
        "replies: [{ say: x, optional: true }]\nrules: [{ when: { user: never }, do: { say: y }, optional: true }]\n",
        &format!("ask /v1/chat/completions '{}'; {rounds}", user("Pay")),
    );
    assert_eq!(output.status.code(), Some(1));
    let printed = stdout(&output);
    assert!(
        printed.contains(r#"{"type":"error","error":{"type":"invalid_request_error""#),
        "{printed}"
    );
    assert!(printed.contains(r#""code":"model-miss""#), "{printed}");
    assert_eq!(
        printed.matches("x-should-retry: false").count(),
        4,
        "{printed}"
    );
    let errors = stderr(&output);
    for expected in [
        "error[model-miss]: call 2 to the model has no reply: no rule matches, and all 1 replies are used",
        "error[model-path]: there is nothing at POST /v1/nothing",
        "error[model-unread]: the body is not a valid request of",
        "asked: the Responses API, gpt-5, user \"Pay\"",
    ] {
        assert!(errors.contains(expected), "{expected}\n{errors}");
    }
}

#[test]
fn a_repeated_request_gets_the_same_answer_and_uses_no_reply() {
    let body = user("Pay");
    let again = format!("ask /v1/chat/completions '{body}' $'x-stainless-retry-count: 1\\r\\n'");
    let rounds = format!("ask /v1/chat/completions '{body}'; {again}");
    let output = model("replies: [{ say: Once. }]\n", &rounds);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stdout(&output).matches("Once.").count(), 2);
}

#[test]
fn an_agent_that_never_asks_is_one_mistake() {
    let output = model(PAYS, "true");
    assert_eq!(output.status.code(), Some(1));
    let errors = stderr(&output);
    let expected = "error[unused-reply]: the agent never asked its model, whose script has 2 answers for it\n  \
                    s.yaml:2: call charge_card\n  s.yaml:3: say \"Paid.\"\n  help: point the agent at this model: its SDK has to read OPENAI_BASE_URL";
    assert!(errors.contains(expected), "{errors}");
}

#[test]
fn a_script_with_mistakes_starts_nothing() {
    let output = model(
        "replies:\n  - sya: x\n  - call: { tool: a, result: 3 }\n",
        "touch started",
    );
    assert_eq!(output.status.code(), Some(1));
    let errors = stderr(&output);
    assert!(errors.contains("unknown key `sya`"), "{errors}");
    assert!(
        errors.contains("the agent's own code gives them"),
        "{errors}"
    );
    assert!(!errors.contains("the model is at"), "{errors}");
}

#[test]
fn lanes_are_known_by_the_url_the_baggage_and_the_ids() {
    let script = "lanes:\n  anna: { replies: [{ call: { tool: charge_card, args: { amount: 1 } } }, { say: To Anna. }] }\n  ben: { replies: [{ say: To Ben. }] }\n";
    // The third request has nothing but the id of Anna's call, the last one has nothing.
    let rounds = format!(
        r#"first="$(ask /t/anna/v1/chat/completions '{}')"
id="$(printf '%s' "$first" | sed -n 's/.*"id":"\(call_[^"]*\)".*/\1/p')"
ask /v1/chat/completions '{}' $'baggage: other=1, ananke.test=ben\r\n'
ask /v1/chat/completions "{{\"model\":\"m\",\"messages\":[{{\"role\":\"user\",\"content\":\"Pay\"}},{{\"role\":\"assistant\",\"tool_calls\":[{{\"id\":\"$id\",\"type\":\"function\",\"function\":{{\"name\":\"charge_card\",\"arguments\":\"{{}}\"}}}}]}},{{\"role\":\"tool\",\"tool_call_id\":\"$id\",\"content\":\"ok\"}}]}}"
ask /v1/chat/completions '{}'"#,
        user("Pay"),
        user("Hi"),
        user("Who am I?")
    );
    let output = model(script, &rounds);
    let printed = stdout(&output);
    assert!(
        printed.contains("To Ben."),
        "{printed}\n{}",
        stderr(&output)
    );
    assert!(
        printed.contains("To Anna."),
        "{printed}\n{}",
        stderr(&output)
    );
    assert_eq!(output.status.code(), Some(1));
    let errors = stderr(&output);
    let expected = "error[unattributed]: a request to the model belongs to no lane for certain\n  the lanes are `anna` and `ben`";
    assert_eq!(errors.matches(expected).count(), 1, "{errors}");
}

#[test]
fn embeddings_and_the_list_of_models_need_no_script() {
    let rounds = r#"ask /v1/embeddings '{"model":"e","input":["a","b"],"dimensions":3}'; ask /v1/chat/completions '{"model":"m","messages":[{"role":"user","content":"x"}]}'"#;
    let output = model("replies: [{ say: y }]\n", rounds);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(
        stdout(&output).matches(r#""object":"embedding""#).count(),
        2
    );
    let forbidden = model("replies: [{ say: y }]\nembeddings: miss\n", rounds);
    assert_eq!(forbidden.status.code(), Some(1));
    assert!(stderr(&forbidden).contains("the agent asked for embeddings"));
}

/// The program without a command, and its address.
fn serving(project: &Project) -> (Child, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ananke"))
        .args(["model", "--script", "s.yaml"])
        .current_dir(project.folder())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("http://").unwrap().to_owned();
    (child, address)
}

#[test]
fn without_a_command_it_serves_until_it_is_interrupted_and_ends_with_the_verdict() {
    for (asks, code) in [(true, 0), (false, 1)] {
        let project = Project::new(&[("s.yaml", "replies: [{ say: Served. }]\n")]);
        let (child, address) = serving(&project);
        if asks {
            let mut stream = TcpStream::connect(&address).unwrap();
            let body = user("Hi");
            let head = format!(
                "POST /v1/chat/completions HTTP/1.0\r\nhost: {address}\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            );
            stream.write_all(head.as_bytes()).unwrap();
            let mut response = String::new();
            stream.read_to_string(&mut response).unwrap();
            assert!(response.contains("Served."), "{response}");
        }
        let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        kill_process(pid, Signal::INT).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{}", stderr(&output));
    }
}

/// The status and the body of the response to a request that names this host.
fn send(address: &str, host: &str, method: &str, path: &str, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.0\r\nhost: {host}\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    let (head, body) = response.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, body.to_owned())
}

#[test]
fn lanes_are_set_and_read_while_they_are_served() {
    let project = Project::new(&[("s.yaml", "replies: [{ say: Default., optional: true }]\n")]);
    let (child, address) = serving(&project);
    let ask = |method: &str, path: &str, body: &str| send(&address, &address, method, path, body);
    let lane = "/__ananke/lane/anna%20b";
    let chat = "/t/anna%20b/v1/chat/completions";
    assert_eq!(ask("GET", lane, "").0, 404);

    // Nothing changes if something is wrong with a script.
    let broken = "replies:\n  - sya: x\n  - say: \"${ENV.HOME}\"\n";
    let (status, why) = ask("POST", lane, broken);
    assert_eq!(status, 400, "{why}");
    let why: Value = serde_json::from_str(&why).unwrap();
    let why = why["error"]["message"].as_str().unwrap();
    assert!(
        why.contains("error[unknown-key]: unknown key `sya`\n --> the body:2:5"),
        "{why}"
    );
    let (status, why) = ask("POST", lane, "replies: [{ say: \"${ENV.HOME}\" }]");
    assert!(status == 400 && why.contains("`HOME` is not set"), "{why}");
    let (status, why) = ask("POST", lane, "lanes: { a: { replies: [{ say: x }] } }");
    assert!(
        status == 400 && why.contains("a lane has one script"),
        "{why}"
    );
    assert_eq!(ask("GET", lane, "").0, 404);
    assert_eq!(ask("DELETE", lane, "").0, 405);
    assert_eq!(ask("POST", "/__ananke/lane/", "{}").0, 404);

    // JSON is YAML.
    let script = json!({ "replies": [{ "say": "Hello Anna." }] }).to_string();
    assert_eq!(
        ask("POST", lane, &script),
        (200, "{\"lane\":\"anna b\"}".to_owned())
    );
    let (status, answer) = ask("POST", chat, &user("Hi"));
    assert!(status == 200 && answer.contains("Hello Anna."), "{answer}");
    let (status, requests) = ask("GET", lane, "");
    let requests: Value = serde_json::from_str(&requests).unwrap();
    let requests = requests["requests"].as_array().unwrap();
    assert_eq!((status, requests.len()), (200, 1));
    assert_eq!(requests[0]["answered"], "reply 1");
    assert_eq!(requests[0]["body"]["messages"][0]["content"], "Hi");

    // The second script is not used, which is an error although a third one takes its place.
    for text in ["Not used.", "Used."] {
        let script = json!({ "replies": [{ "say": text }] }).to_string();
        assert_eq!(ask("POST", lane, &script).0, 200);
    }
    assert!(ask("POST", chat, &user("Hi")).1.contains("Used."));

    // A page of another site reaches the server by a name of its own.
    for path in [lane, chat] {
        let (status, _) = send(&address, "evil.example", "POST", path, &script);
        assert_eq!(status, 421, "{path}");
    }
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(pid, Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let errors = stderr(&output);
    assert!(
        errors.contains("lane `anna b`\nerror[unused-reply]"),
        "{errors}"
    );
    assert!(errors.contains("the body:1: say \"Not used.\""), "{errors}");
    assert_eq!(errors.matches("error[").count(), 1, "{errors}");
}
