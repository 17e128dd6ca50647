//! Recordings that are served.

use std::fs;
use std::sync::Arc;

use ananke::LabError;
use ananke::context::CaseKey;
use ananke::mock::RecordedAgent;
use ananke::plan::Selection;
use ananke::recording::{KeptRecording, RecordingMode, recording_path};
use ananke::run::{Options, RunAnswers, event_channel, run as run_plan};
use serde_json::{Value, json};

use super::server::{Response, Serving, embedded, project, run};
use crate::replay::recordings;
use crate::support::project::Project;

const RULES: &str = "    - { when: { turn: 1 }, do: [{ call: { tool: look_up, args: { id: 7 }, result: { price: 3 } } }, { say: \"It costs 3.\" }] }
    - { when: { turn: 2 }, do: [{ say: Bye }, { error: { message: closed, code: E1 } }] }
";

const TEST: &str = "version: \"1.3\"\nname: two turns\nturns: [{ user: price? }, { user: Bye }]\n";

/// A project with a test that was recorded while it talked to an agent with [`RULES`], and the text of the recording.
async fn recorded() -> (Project, String) {
    recorded_with(
        "type: agui, agentId: shop, threadId: t-old, endpoint: \"http://127.0.0.1:PORT/agent\"",
    )
    .await
}

/// The same, as a target with these keys talked to it.
pub(super) async fn recorded_with(keys: &str) -> (Project, String) {
    let agent = project(RULES);
    let serving = Serving::start(embedded(&agent)).await;
    let keys = keys.replace("PORT", &serving.port.to_string());
    let config = format!("version: \"1.4\"\ntarget: {{ {keys} }}\n");
    let client = Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", TEST)]);
    let folder = client.folder().join("kept");
    let plan = client.plan().plan.unwrap();
    let (sender, mut receiver) = event_channel(64);
    let mut shared = client.shared(Options::default(), sender);
    shared.answers = RunAnswers::Recordings(recordings(&folder, RecordingMode::Record));
    let running = tokio::spawn(run_plan(shared, plan));
    while receiver.recv().await.is_some() {}
    running.await.unwrap();
    let text = fs::read_to_string(recording_path(
        &folder,
        &CaseKey::first("a.test.yaml::two turns"),
    ))
    .unwrap();
    (client, text)
}

pub(super) async fn agent_of(project: &Project, text: &str) -> Result<RecordedAgent, LabError> {
    let recording = Arc::new(KeptRecording::read(text, "kept/a.jsonl").expect("a recording"));
    RecordedAgent::of(
        &project.context(),
        &recording,
        "kept/a.jsonl",
        &Selection::default(),
    )
    .await
}

fn text_of(response: &Response) -> String {
    response
        .events()
        .iter()
        .filter_map(|event| event["choices"][0]["delta"]["content"].as_str())
        .collect()
}

#[tokio::test]
async fn it_answers_with_the_recorded_bytes_and_the_ids_of_the_request() {
    let (client, text) = recorded().await;
    let live = Serving::start(embedded(&project(RULES))).await;
    let again = Serving::start(agent_of(&client, &text).await.unwrap()).await;
    for thread in ["a", "b"] {
        for said in [&["price?"][..], &["price?", "Bye"]] {
            let (expected, found) = (
                live.post(&run(thread, said)).await,
                again.post(&run(thread, said)).await,
            );
            // Ids of messages have the recorded thread in them.
            let found = found.body.replace("t-old:", &format!("{thread}:"));
            assert_eq!(found, expected.body, "{thread} {said:?}");
        }
    }
    let third = again.post(&run("a", &["1", "2", "3"])).await;
    let expected = json!([{ "type": "RUN_ERROR", "message": "the recording has 2 requests, and this is request 3 of its conversation" }]);
    assert_eq!(Value::from(third.events()), expected);
    let over = again.post(&run("a", &["other words"])).await;
    assert_eq!(
        over.types()[1],
        "TOOL_CALL_START",
        "a first message begins it again"
    );
}

#[tokio::test]
async fn it_answers_another_protocol_with_what_the_agent_did() {
    let (client, text) = recorded().await;
    let serving = Serving::start(agent_of(&client, &text).await.unwrap()).await;
    let user = |text: &str| json!({ "role": "user", "content": text });
    let first = json!({ "model": "m", "stream": true, "messages": [user("price?")] });
    assert_eq!(text_of(&serving.post(&first).await), "It costs 3.");
    let messages =
        json!([user("price?"), { "role": "assistant", "content": "It costs 3." }, user("Bye")]);
    let second = serving
        .post(&json!({ "model": "m", "stream": true, "messages": messages }))
        .await;
    assert_eq!(text_of(&second), "Bye");
    assert_eq!(
        second.events().last().unwrap()["error"]["message"],
        "closed"
    );
}

#[tokio::test]
async fn a_recorded_stream_is_one_document_to_a_client_that_asks_for_none() {
    let keys = "type: openai, endpoint: \"http://127.0.0.1:PORT/v1\", model: m";
    let (client, text) = recorded_with(keys).await;
    let serving = Serving::start(agent_of(&client, &text).await.unwrap()).await;
    let chat = json!({ "model": "m", "messages": [{ "role": "user", "content": "price?" }] });
    let answer: Value = serde_json::from_str(&serving.post(&chat).await.body).expect("a document");
    assert_eq!(answer["choices"][0]["message"]["content"], "It costs 3.");
    let mut streamed = chat.clone();
    streamed["stream"] = true.into();
    assert_eq!(text_of(&serving.post(&streamed).await), "It costs 3.");
}

#[tokio::test]
async fn a_request_may_name_a_response_that_was_recorded() {
    let keys = "type: responses, model: m, history: previous_response_id, endpoint: \"http://127.0.0.1:PORT/v1\"";
    let (project, text) = recorded_with(keys).await;
    // The mock of this process has stored the ids that it gave out: those of the recording are of another server.
    let text = text.replace("resp_", "resp_elsewhere_");
    let serving = Serving::start(agent_of(&project, &text).await.expect("an agent")).await;
    let mut request = json!({ "model": "m", "input": "price?", "stream": true });
    let first = serving.post(&request).await;
    let id = first.events()[0]["response"]["id"].clone();
    assert!(id.as_str().unwrap().starts_with("resp_elsewhere_"), "{id}");
    request["input"] = "Bye".into();
    request["previous_response_id"] = id;
    let second = serving.post(&request).await;
    assert_eq!(second.status, 200, "{}", second.body);
    let events = second.events();
    let last = events.last().unwrap();
    assert_eq!(last["response"]["error"]["message"], "closed", "{last}");
}

#[tokio::test]
async fn a_response_that_broke_off_breaks_off() {
    let (client, text) = recorded().await;
    let mut lines: Vec<&str> = text.lines().collect();
    let frame = lines
        .iter()
        .position(|line| line.contains("TOOL_CALL_END"))
        .unwrap();
    let end = lines
        .iter()
        .position(|line| line.starts_with("{\"end\""))
        .unwrap();
    let broken = "{\"end\":{\"how\":\"broken\",\"at_us\":6000,\"message\":\"connection reset\"}}";
    lines.splice(frame..=end, [broken]);
    let serving =
        Serving::start(agent_of(&client, &(lines.join("\n") + "\n")).await.unwrap()).await;
    let cut = serving.post(&run("a", &["price?"])).await;
    assert_eq!(
        cut.types(),
        ["RUN_STARTED", "TOOL_CALL_START", "TOOL_CALL_ARGS"]
    );
    assert!(!cut.is_complete);
    let expected = "#1 AG-UI: \"price?\": 200, 3 events, connection broken";
    assert_eq!(serving.log(1).await, [expected]);
}

#[tokio::test]
async fn a_recording_of_no_test_of_the_project_is_served_in_its_own_protocol() {
    let (client, text) = recorded().await;
    fs::remove_file(client.folder().join("a.test.yaml")).unwrap();
    let serving = Serving::start(agent_of(&client, &text).await.unwrap()).await;
    assert_eq!(
        serving.post(&run("a", &["price?"])).await.types()[0],
        "RUN_STARTED"
    );
    let chat = json!({ "model": "m", "messages": [{ "role": "user", "content": "price?" }] });
    let refused = serving.post(&chat).await;
    assert_eq!(refused.status, 500);
    let expected = "the recording is of another protocol or form, and cannot be replayed: ";
    assert!(refused.body.contains(expected), "{}", refused.body);
}

#[tokio::test]
async fn a_recording_of_another_version_is_refused() {
    let (_, text) = recorded().await;
    let newer = text.replacen("\"version\":\"1.4\"", "\"version\":\"9.9\"", 1);
    assert_ne!(newer, text);
    let refused = KeptRecording::read(&newer, "kept/a.jsonl").unwrap_err();
    assert!(refused.message.contains("9.9"), "{}", refused.message);
}

/// A recording of an agent with an API of its own: a job that is asked for until it is done.
const OF_ITS_OWN: &str = r#"{"recording":{"version":"1.3","test":"a.test.yaml::a letter","run":1,"attempt":1,"started_unix_us":1796032551102741,"ended_unix_ms":1796032551161,"ids":{},"secrets":[]}}
{"request":{"turn":1,"exchange":1,"at_us":10,"path":"/letters","text":"to=Ada"}}
{"head":{"at_us":20,"status":200,"content_type":"application/json"}}
{"text":{"at_us":30,"text":"{\"letter\": \"1\"}"}}
{"end":{"how":"complete","closed_us":40}}
{"request":{"turn":1,"exchange":2,"at_us":50,"method":"GET","path":"/letters/1","text":""}}
{"head":{"at_us":60,"status":200,"content_type":"application/json"}}
{"text":{"at_us":70,"text":"{\"state\": \"writing\"}"}}
{"end":{"how":"complete","closed_us":80}}
{"request":{"turn":1,"exchange":3,"at_us":90,"method":"GET","path":"/letters/1","text":""}}
{"head":{"at_us":100,"status":200,"content_type":"application/json"}}
{"text":{"at_us":110,"text":"{\"state\": \"done\", \"said\": \"Posted.\"}"}}
{"end":{"how":"complete","closed_us":120}}
{"hash":"0000000000000000"}
"#;

#[tokio::test]
async fn an_api_of_its_own_gets_the_bytes_that_were_recorded() {
    let config = |port: u16| {
        format!(
            "version: \"1.4\"\ntarget:\n  type: http\n  endpoint: \"http://127.0.0.1:{port}/letters\"\n  form: {{ to: \"${{INPUT}}\" }}\n  \
             capture: {{ LETTER: letter }}\n  then: {{ endpoint: \"/letters/${{LETTER}}\", until: \"[?state=done]\", every_ms: 1 }}\n  \
             response: {{ text: said }}\n"
        )
    };
    let test = "version: \"1.4\"\nname: a letter\nturns: [{ user: Ada, assert: { text: { equals: Posted. } } }]\n";
    let project = |port| {
        Project::new(&[
            ("ananke.config.yaml", config(port).as_str()),
            ("a.test.yaml", test),
        ])
    };
    let agent = agent_of(&project(1), OF_ITS_OWN).await.expect("an agent");
    let serving = Serving::start(agent).await;
    // The conversation is served as often as it is asked for.
    for _ in 0..2 {
        let outcome = project(serving.port).run().await.remove(0);
        assert_eq!(
            outcome.status(),
            ananke::Status::Passed,
            "{:?}",
            outcome.first_problem()
        );
    }
    let faulty = serving
        .send("POST", "/letters", &["x-ananke-fault: error"], b"to=Ada")
        .await;
    assert_eq!(faulty.status, 500, "{}", faulty.body);
    let refused = serving.send("POST", "/elsewhere", &[], b"{}").await;
    assert_eq!(refused.status, 404);
    assert_eq!(
        refused.body,
        "the recording has no POST /elsewhere; it has POST /letters, GET /letters/1\n"
    );
}
