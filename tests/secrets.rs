//! What is secret leaves the program in no report: planted in the environment, a header and what the agent says.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use ananke::report::console::{ConsoleOptions, ConsoleReport, Verbosity};
use ananke::report::junit::JunitReport;
use ananke::report::{Reporter, tell};
use ananke::run::{Run, run};
use ananke::target::http::HttpTransport;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::support::project::Project;
use crate::support::raw_agent::{RawAgent, Step};

const SECRET: &str = "s3cr3t/to\"ken+42";

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An agent that tells the key it was given, in its words, its arguments, its result and its error.
fn leaking() -> Vec<Step> {
    let secret = serde_json::Value::from(SECRET).to_string();
    let inner = serde_json::Value::from(serde_json::json!({ "key": SECRET }).to_string());
    let body = [
        r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}"#.to_owned(),
        r#"{"type":"TEXT_MESSAGE_START","messageId":"m"}"#.to_owned(),
        format!(r#"{{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":{secret}}}"#),
        r#"{"type":"TEXT_MESSAGE_END","messageId":"m"}"#.to_owned(),
        r#"{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"leak"}"#.to_owned(),
        format!(r#"{{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":{inner}}}"#),
        r#"{"type":"TOOL_CALL_END","toolCallId":"c"}"#.to_owned(),
        format!(r#"{{"type":"TOOL_CALL_RESULT","messageId":"x","toolCallId":"c","content":{inner}}}"#),
        format!(r#"{{"type":"RUN_ERROR","message":{secret}}}"#),
    ];
    let events = format!("data: {}\n\n", body.join("\n\ndata: "));
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    vec![Step::Expect, Step::Send(format!("{head}{events}").into_bytes())]
}

#[tokio::test]
async fn no_report_tells_a_secret() {
    tells_no_secret("ENV.KEY", "").await;
}

#[cfg(unix)]
#[tokio::test]
async fn no_report_tells_what_a_hook_puts_into_a_header() {
    tells_no_secret("LOGIN.key", "hooks: [{ cmd: [cat, key.json] }]\n").await;
}

/// Runs a test whose header carries the secret through `reference`, and looks for it in every report.
async fn tells_no_secret(reference: &str, hooks: &str) {
    let agent = RawAgent::start(vec![leaking()]).await;
    let config = format!(
        "version: \"1.0\"\ntarget:\n  type: agui\n  endpoint: \"{}\"\n  agentId: leak\n  headers: {{ authorization: \"Bearer ${{{reference}}}\" }}\n",
        agent.url()
    );
    let test = format!(
        "version: \"1.0\"\nname: leak\n{hooks}turns:\n  - user: hi\n    assert:\n      tools: {{ forbid: [leak] }}\n      text: {{ must_not_match: \"t/to.*\" }}\n"
    );
    let key = serde_json::json!({ "LOGIN": { "key": SECRET } }).to_string();
    let project =
        Project::new(&[("ananke.config.yaml", &config), ("leak.test.yaml", &test), ("key.json", &key)])
            .with_environment("KEY", SECRET);
    let plan = project.plan().plan.unwrap();
    let context = project.context();
    let redactor = project.redactor.clone();
    let shared = Run {
        context: &context,
        transport: Arc::new(HttpTransport::new(context.clock.clone())),
        redactor: redactor.clone(),
        cancel: CancellationToken::new(),
    };
    let console = Shared::default();
    let junit = project.folder().join("report/junit.xml");
    let options = ConsoleOptions { colour: false, verbosity: Verbosity::Verbose };
    let reporters: Vec<Box<dyn Reporter>> = vec![
        Box::new(ConsoleReport::new(Box::new(console.clone()), options)),
        Box::new(JunitReport::create(&junit).unwrap()),
    ];
    let (sender, receiver) = mpsc::channel(8);
    let telling = tokio::spawn(tell(receiver, redactor, reporters));
    let totals = run(&shared, &plan, sender).await;
    telling.await.unwrap().unwrap();
    assert_eq!(totals.error, 1);

    let sent = agent.requests().await;
    assert!(sent[0].head.contains(SECRET), "the agent gets the key itself: {}", sent[0].head);
    let console = String::from_utf8(console.0.lock().unwrap().clone()).unwrap();
    let junit = std::fs::read_to_string(junit).unwrap();
    for (name, text) in [("console", console), ("junit", junit)] {
        assert!(text.contains("***"), "{name} shows that something was masked:\n{text}");
        for part in ["s3cr3t", "ken+42"] {
            assert!(!text.contains(part), "{name} tells `{part}`:\n{text}");
        }
    }
}

#[test]
fn a_problem_beside_a_secret_does_not_tell_it() {
    let config = "version: \"1.0\"\ntarget: { type: agui, endpoint: nowhere, agentId: x, headers: { x-token: hunter22 } }\n";
    let broken = config.replace("agentId: x", "agentld: x");
    let test = "version: \"1.0\"\nname: x\nturns: [{ user: hi }]\n";
    for config in [config, &broken] {
        let project = Project::new(&[("ananke.config.yaml", config), ("x.test.yaml", test)]);
        let planned = project.plan();
        assert!(planned.plan.is_none());
        let shown =
            ananke::diagnostic::render::human(&planned.problems, ananke::diagnostic::render::Look::default());
        assert!(shown.contains("hunter22"), "the line is shown: {shown}");
        let told = project.redactor.text(&shown);
        assert!(told.contains("x-token: ***") && !told.contains("hunter"), "{told}");
    }
}
