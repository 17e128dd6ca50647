//! A proxy between clients and an agent: everything passes as it is, and conversations are kept.

use std::sync::Arc;

use ananke::agents::ServedEnd;
use ananke::agents::http::Forwarder;
use ananke::plan::Selection;
use ananke::project::Variables;
use ananke::proxy::{CapturedRequest, Incomplete, ProxyCapture, ProxyServer, hold_again};
use ananke::record::{RecordRequest, RecordedFile, record};
use ananke::redact::Redactor;
use regex::Regex;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::freezing::assert_is_frozen_again;
use crate::mocks::server::{Lines, Serving, embedded, project, run};
use crate::support::project::Project;
use crate::support::raw_agent::{RawAgent, Step, play};

/// A proxy in front of this address.
pub(crate) async fn proxy(endpoint: &str) -> (Serving, ProxyCapture) {
    ananke::install();
    let (capture, lines) = (
        ProxyCapture::new(Redactor::default()),
        Arc::new(Lines::default()),
    );
    let (times, kept) = (Regex::new(", [0-9]+ ms").unwrap(), Arc::clone(&lines));
    let notice = Arc::new(move |line: &str| kept.push(times.replace(line, "").into_owned()));
    let forwarder = Forwarder::new(endpoint.parse().unwrap()).unwrap();
    let server = ProxyServer::new(forwarder, capture.clone(), notice);
    (Serving::of(Arc::new(server), lines).await, capture)
}

fn respond(text: &str) -> Vec<Step> {
    vec![
        Step::Expect,
        Step::Send(text.as_bytes().to_vec()),
        Step::HalfClose,
    ]
}

/// The bodies of what is kept, conversation by conversation.
fn kept(capture: &ProxyCapture) -> Vec<Vec<String>> {
    let text = |response: &ananke::agents::ServedResponse| {
        let frames = response
            .frames
            .iter()
            .map(|frame| String::from_utf8_lossy(&frame.bytes).into_owned());
        frames.collect::<String>()
    };
    let all = capture.take();
    let of_conversation = all.iter().map(|conversation| {
        let responses = conversation
            .exchanges
            .iter()
            .map(|exchange| exchange.response.as_ref());
        responses
            .map(|response| response.map_or_else(ToString::to_string, text))
            .collect()
    });
    of_conversation.collect()
}

#[tokio::test]
async fn every_byte_passes_as_it_is() {
    let body = "data: {\"a\":\u{fffd}}\r\n\r\n: \u{1F600}\n\ndata: [";
    let head = "HTTP/1.1 203 Odd\r\nContent-Type: text/event-stream; x=y\r\nX-Own: a  b\r\nSet-Cookie: one\r\nSet-Cookie: two\r\n";
    let whole = format!(
        "{head}Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    let agent = RawAgent::start(vec![respond(&whole)]).await;
    let (serving, capture) = proxy(&agent.url()).await;
    let sent = b"{\"threadId\": \"t\",  \"runId\":\"r\", \"messages\":[{\"role\":\"user\",\"content\":\"\\u00e9\"}]}";
    let headers = [
        "authorization: Bearer x",
        "accept-encoding: gzip",
        "x-twice: 1",
        "x-twice: 2",
    ];
    let response = serving.send("POST", "/other?a=%20b", &headers, sent).await;
    assert_eq!((response.status, response.body.as_str()), (203, body));
    assert_eq!(response.headers["content-type"], "text/event-stream; x=y");
    assert_eq!(response.headers["x-own"], "a  b");
    assert_eq!(kept(&capture), [[body]]);
    let requests = agent.requests().await;
    let head = &requests[0].head;
    assert!(
        head.starts_with("post /other?a=%20b http/1.1")
            || head.starts_with("POST /other?a=%20b HTTP/1.1"),
        "{head}"
    );
    for header in ["authorization: Bearer x", "x-twice: 1", "x-twice: 2"] {
        assert!(head.contains(header), "{header} in {head}");
    }
    assert!(
        !head.contains("accept-encoding"),
        "what is kept is not compressed: {head}"
    );
    assert_eq!(requests[0].body, sent);
}

#[tokio::test]
async fn conversations_of_several_clients_are_kept_apart() {
    let agent = Serving::start(embedded(&project("    - { do: [{ say: ok }] }\n"))).await;
    let (serving, capture) = proxy(&format!("http://127.0.0.1:{}/agent", agent.port)).await;
    let both = async |thread: &'static str| {
        for said in [&["1"][..], &["1", "2"]] {
            assert_eq!(serving.post(&run(thread, said)).await.status, 200);
        }
    };
    tokio::join!(both("a"), both("b"));
    assert_eq!(serving.post(&run("a", &["again"])).await.status, 200);
    let user = |text: &str| json!({ "role": "user", "content": text });
    for messages in [
        json!([user("x")]),
        json!([user("x"), { "role": "assistant", "content": "ok" }, user("y")]),
        json!([user("z")]),
    ] {
        let chat = json!({ "model": "m", "messages": messages });
        assert_eq!(serving.post(&chat).await.status, 200);
    }
    assert_eq!(
        serving.send("GET", "/", &[], b"").await.status,
        404,
        "it passes, and is no conversation"
    );
    let mut lengths: Vec<usize> = capture
        .take()
        .iter()
        .map(|conversation| conversation.exchanges.len())
        .collect();
    lengths.sort_unstable();
    assert_eq!(lengths, [1, 1, 2, 2, 2]);
}

#[tokio::test]
async fn an_agent_that_dies_in_the_middle_dies_for_the_client_too() {
    let start = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n5\r\ndata:\r\n";
    let agent = RawAgent::start(vec![vec![
        Step::Expect,
        Step::Send(start.into()),
        Step::HalfClose,
    ]])
    .await;
    let (serving, capture) = proxy(&agent.url()).await;
    let response = serving.post(&run("a", &["hi"])).await;
    assert_eq!(
        (response.body.as_str(), response.is_complete),
        ("data:", false)
    );
    assert_eq!(
        serving.log(1).await,
        ["AG-UI: \"hi\": 200, the connection of the agent broke"]
    );
    let all = capture.take();
    let response = all[0].exchanges[0].response.as_ref().unwrap();
    assert!(
        matches!(response.end, ServedEnd::Breaks(_)),
        "{:?}",
        response.end
    );
}

#[tokio::test]
async fn an_agent_that_is_not_there_is_a_bad_gateway() {
    let port = TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let (serving, capture) = proxy(&format!("http://127.0.0.1:{port}/agent")).await;
    let response = serving.post(&run("a", &["hi"])).await;
    assert_eq!(response.status, 502);
    assert!(
        response.body.starts_with("the agent cannot be reached: "),
        "{}",
        response.body
    );
    assert!(serving.log(1).await[0].starts_with("POST /, the agent did not respond: "));
    assert!(capture.take().is_empty(), "what is not sent is not read");
}

#[tokio::test]
async fn a_client_that_goes_away_is_gone_for_the_agent_too() {
    let start = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: 1\n\n";
    let agent = RawAgent::start(vec![vec![
        Step::Expect,
        Step::Send(start.into()),
        Step::Hold,
    ]])
    .await;
    let (serving, capture) = proxy(&agent.url()).await;
    let body = run("a", &["hi"]).to_string();
    let mut stream = serving.connect("POST", "/", &[], body.as_bytes()).await;
    let mut some = [0; 8];
    stream.read_exact(&mut some).await.unwrap();
    drop(stream);
    assert_eq!(agent.requests().await.len(), 1, "its connection was closed");
    let expected = "AG-UI: \"hi\": 200, the client went away before a response was complete";
    assert_eq!(serving.log(1).await, [expected]);
    assert_eq!(
        capture.take()[0].exchanges[0].response,
        Err(Incomplete::ClientLeft)
    );
}

#[tokio::test]
async fn a_request_goes_on_with_the_response_that_it_names() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let agent = format!("http://{}/v1/responses", listener.local_addr().unwrap());
    // A client goes on after the last event, and the connection may be open for longer than that.
    let created =
        "data: {\"type\":\"response.created\",\"response\":{\"id\":\"resp_of_the_agent\"}}\n\n";
    let start = format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n{created}");
    let open = vec![Step::Expect, Step::Send(start.into()), Step::Hold];
    let document =
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{}";
    let playing = tokio::spawn(async move {
        for script in [open, respond(document)] {
            let (stream, _) = listener.accept().await.unwrap();
            tokio::spawn(async move { play(stream, script, &mut Vec::new()).await });
        }
    });
    let (serving, capture) = proxy(&agent).await;
    let body = json!({ "model": "m", "input": "1", "stream": true }).to_string();
    let mut first = serving.connect("POST", "/", &[], body.as_bytes()).await;
    let mut read = Vec::new();
    while !String::from_utf8_lossy(&read).contains("resp_of_the_agent") {
        first.read_buf(&mut read).await.unwrap();
    }
    let next = json!({ "model": "m", "input": "2", "previous_response_id": "resp_of_the_agent" });
    assert_eq!(serving.post(&next).await.status, 200);
    playing.await.unwrap();
    let all = capture.take();
    assert_eq!(all.len(), 1, "one conversation");
    let CapturedRequest::OfProtocol(_, request) = &all[0].exchanges[1].request else {
        panic!("a request of a protocol");
    };
    assert_eq!(request.actions().len(), 2);
}

#[tokio::test]
async fn a_body_of_100_mb_passes_and_is_not_kept() {
    const SIZE: usize = 100 << 20;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    // An agent that takes and gives so many bytes.
    let agent = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let (mut taken, mut buffer) = (0, vec![0; 1 << 16]);
        while taken < SIZE {
            taken += stream.read(&mut buffer).await.unwrap();
        }
        let head =
            format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {SIZE}\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        for _ in 0..SIZE >> 16 {
            stream.write_all(&buffer).await.unwrap();
        }
        taken
    });
    let (serving, capture) = proxy(&format!("http://127.0.0.1:{port}/agent")).await;
    let mut stream = serving
        .connect("POST", "/", &["x-a: 1"], &vec![b'x'; SIZE])
        .await;
    let (mut given, mut buffer) = (0, vec![0; 1 << 16]);
    loop {
        match stream.read(&mut buffer).await.unwrap() {
            0 => break,
            count => given += count,
        }
    }
    assert!(given > SIZE, "{given} bytes came back");
    assert!(agent.await.unwrap() >= SIZE);
    assert!(
        capture.take().is_empty(),
        "a body that is not looked at is no request of a protocol"
    );
}

/// What is written of the conversations that have passed, and why the first goes no further.
pub(crate) async fn written(
    project: &Project,
    capture: &ProxyCapture,
) -> (RecordedFile, Option<String>) {
    let request = RecordRequest {
        selection: Selection::default(),
        file: project.folder().join("front.test.yaml"),
        folder: project.folder().join("recordings"),
        origin: "Recorded with `ananke record`",
    };
    let (mut held, mut first) = (Vec::new(), None);
    for (conversation, number) in capture.take().into_iter().zip(1..) {
        let name = format!("front {number}");
        let variables = Variables::default();
        let again = hold_again(
            &project.context(),
            &request,
            &name,
            &variables,
            &[],
            conversation,
        )
        .await
        .unwrap();
        if number == 1 {
            first = again
                .held
                .problem
                .as_ref()
                .map(|problem| problem.message.clone())
                .or(again.ends);
        }
        held.push((name, again.held));
    }
    (
        record(&project.context(), &request, held).await.unwrap(),
        first,
    )
}

pub(crate) fn client_of(port: u16) -> Project {
    let config = format!(
        "version: \"1.3\"\ntarget: {{ type: agui, agentId: shop, endpoint: \"http://127.0.0.1:{port}/\" }}\n"
    );
    Project::new(&[("ananke.config.yaml", &config)])
}

#[tokio::test]
async fn what_has_passed_is_written_and_replays() {
    let rules = "    - { when: { user: pay }, do: [{ call: { tool: pay, args: { order: O-7 }, result: paid, delay_ms: 40 } }, { interrupt: { reason: confirmation } }, { say: Paid. }] }
    - { do: [{ say: Hello }] }
";
    let agent = Serving::start(embedded(&project(rules))).await;
    let (serving, capture) = proxy(&format!("http://127.0.0.1:{}/", agent.port)).await;
    serving.post(&run("a", &["hi"])).await;
    serving.post(&run("b", &["Please pay order O-7"])).await;
    serving.post(&run("a", &["hi", "again"])).await;
    let mut resume = run("b", &["Please pay order O-7", ""]);
    resume["resume"] =
        json!([{ "interruptId": "interrupt-1", "status": "resolved", "payload": { "ok": true } }]);
    serving.post(&resume).await;
    let client = client_of(agent.port);
    let (file, why) = written(&client, &capture).await;
    assert_eq!(why, None);
    let tests: Vec<_> = file
        .tests
        .iter()
        .map(|test| (test.turns, test.failure.clone()))
        .collect();
    assert_eq!(tests, [(2, None), (2, None)]);
    for line in [
        "- user: Please pay order O-7",
        "order: O-7",
        "outcome: interrupted",
        "ok: true",
        "# agent: Paid.",
    ] {
        assert!(file.text.contains(line), "{line} in\n{}", file.text);
    }
    file.write().unwrap();
    // Live, the same tests pass as well.
    let outcomes = client.run().await;
    let statuses: Vec<&str> = outcomes
        .iter()
        .map(|outcome| outcome.status().as_str())
        .collect();
    assert_eq!(statuses, ["passed", "passed"], "{}", file.text);
}

#[tokio::test]
async fn a_conversation_ends_before_the_turn_that_broke() {
    let whole = "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"a\",\"runId\":\"r-1\"}\n\ndata: {\"type\":\"RUN_FINISHED\",\"threadId\":\"a\",\"runId\":\"r-1\"}\n\n";
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n";
    let good = format!(
        "{head}content-length: {}\r\nconnection: close\r\n\r\n{whole}",
        whole.len()
    );
    let bad = format!("{head}transfer-encoding: chunked\r\n\r\n6\r\ndata: \r\n");
    let agent = RawAgent::start(vec![respond(&good), respond(&bad)]).await;
    let (serving, capture) = proxy(&agent.url()).await;
    serving.post(&run("a", &["hi"])).await;
    serving.post(&run("a", &["hi", "again"])).await;
    let (file, why) = written(&client_of(agent.address.port()), &capture).await;
    assert_eq!(
        (file.tests[0].turns, file.tests[0].failure.as_deref()),
        (1, None)
    );
    let why = why.unwrap();
    assert!(why.contains("the connection was closed"), "{why}");
}

#[tokio::test]
async fn tools_of_the_front_end_get_mocks_that_answer_the_same() {
    let rules = "    - when: { user: photo }
      do: [{ call: { tool: take_photo } }, { call: { tool: take_photo } }, { say: Nice. }]
    - { do: [{ call: { tool: locate, args: { exact: true } } }, { say: There. }] }
";
    let agent = Serving::start(embedded(&project(rules))).await;
    let (serving, capture) = proxy(&format!("http://127.0.0.1:{}/", agent.port)).await;
    let tools = json!([
        { "name": "take_photo", "description": "Costs ${5}", "parameters": { "type": "object" } },
        { "name": "locate", "parameters": { "type": "object", "required": ["exact"] } },
        { "name": "unused" },
    ]);
    let ask = async |mut body: serde_json::Value, results: &[(&str, &str)]| {
        body["tools"] = tools.clone();
        let messages = body["messages"].as_array_mut().unwrap();
        let result = |(call, text): &(&str, &str)| json!({ "id": "x", "role": "tool", "toolCallId": call, "content": text });
        messages.extend(results.iter().map(result));
        assert_eq!(serving.post(&body).await.status, 200);
    };
    ask(run("a", &["photo"]), &[]).await;
    ask(
        run("a", &["photo", "photo"]),
        &[("call-1", "{\"id\":1}"), ("call-2", "blurred")],
    )
    .await;
    ask(run("a", &["photo", "where?"]), &[]).await;
    ask(run("a", &["photo", "where?"]), &[("call-3", "Rome")]).await;
    let client = client_of(agent.port);
    let (file, why) = written(&client, &capture).await;
    assert_eq!(why, None);
    assert_eq!(
        (file.tests[0].turns, file.tests[0].failure.as_deref()),
        (2, None),
        "{}",
        file.text
    );
    for line in [
        "description: \"Costs $${5}\"",
        "sequence:",
        "- result: blurred",
        "result: Rome",
        "mock: none",
        "# agent: There.",
    ] {
        assert!(file.text.contains(line), "{line} in\n{}", file.text);
    }
    file.write().unwrap();
    let outcomes = client.run().await;
    assert_eq!(
        outcomes[0].status().as_str(),
        "passed",
        "live as well: {}",
        file.text
    );
    assert_is_frozen_again(&client, &file).await;
}

#[tokio::test]
async fn what_became_of_a_call_is_proposed() {
    let rules = "    - do:
        - call: { tool: book, args: { room: 1 }, result: full, failure: failed }
        - call: { tool: book, args: { room: 1 }, result: no, failure: denied }
        - call: { tool: book, args: { room: 1 }, result: booked }
";
    let agent = Serving::start(embedded(&project(rules))).await;
    let (serving, capture) = proxy(&format!("http://127.0.0.1:{}/", agent.port)).await;
    serving.post(&run("a", &["book"])).await;
    let client = client_of(agent.port);
    let (file, _) = written(&client, &capture).await;
    assert_eq!(file.tests[0].failure, None, "{}", file.text);
    let entries = ["is_error: true", "status: denied"].map(|key| file.text.matches(key).count());
    assert_eq!(
        (entries, file.text.matches("- name: book").count()),
        ([1, 1], 3),
        "{}",
        file.text
    );
    file.write().unwrap();
    let outcomes = client.run().await;
    assert!(
        outcomes[0].transcript.turns[0].warnings.is_empty(),
        "{:?}",
        outcomes[0].transcript.turns[0].warnings
    );
}

#[tokio::test]
async fn chats_that_have_passed_are_written_and_replay() {
    for answers in [ModelAnswer::Chunks, ModelAnswer::Document] {
        chats_are_written_and_replay(answers).await;
    }
}

async fn chats_are_written_and_replay(answers: ModelAnswer) {
    let rules = "    - when: { user: price }
      do: [{ call: { tool: look_up, args: { id: 7 } } }, { say: It costs 3. }]
    - { do: [{ say: Bye }] }
";
    let agent = Serving::start(embedded(&project(rules))).await;
    let (serving, capture) = proxy(&format!(
        "http://127.0.0.1:{}/v1/chat/completions",
        agent.port
    ))
    .await;
    let tools = json!([{ "type": "function", "function": { "name": "look_up", "parameters": { "type": "object" } } }]);
    let mut messages = vec![json!({ "role": "user", "content": "What price has O-7?" })];
    let call = ask(&serving, &messages, &tools, answers).await;
    let result = json!({ "role": "tool", "tool_call_id": call["tool_calls"][0]["id"], "content": "{\"price\":3}" });
    messages.extend([call, result]);
    let text = ask(&serving, &messages, &tools, answers).await;
    assert_eq!(text["content"], "It costs 3.");
    messages.extend([text, json!({ "role": "user", "content": "Thanks" })]);
    ask(&serving, &messages, &tools, answers).await;

    let endpoint = format!("http://127.0.0.1:{}/v1", agent.port);
    let config = format!(
        "version: \"1.3\"\ntarget: {{ type: openai, endpoint: \"{endpoint}\", model: m }}\n"
    );
    let client = Project::new(&[("ananke.config.yaml", &config)]);
    let (file, why) = written(&client, &capture).await;
    assert_eq!((why, file.tests.len()), (None, 1));
    assert_eq!(
        (file.tests[0].turns, file.tests[0].failure.as_deref()),
        (2, None),
        "{}",
        file.text
    );
    for line in [
        "- name: look_up",
        "id: 7",
        "# agent: It costs 3.",
        "# agent: Bye",
        "price: 3",
    ] {
        assert!(file.text.contains(line), "{line} in\n{}", file.text);
    }
    file.write().unwrap();
    let outcomes = client.run().await;
    assert_eq!(
        outcomes[0].status().as_str(),
        "passed",
        "live as well: {}",
        file.text
    );
}

/// How a model answers.
#[derive(Clone, Copy, PartialEq)]
enum ModelAnswer {
    Chunks,
    Document,
}

/// The message that a model answers with.
async fn ask(serving: &Serving, messages: &[Value], tools: &Value, answers: ModelAnswer) -> Value {
    let is_streamed = answers == ModelAnswer::Chunks;
    let body = json!({ "model": "m", "messages": messages, "tools": tools, "stream": is_streamed });
    let body = body.to_string();
    let response = serving
        .send("POST", "/v1/chat/completions", &[], body.as_bytes())
        .await;
    assert_eq!(response.status, 200, "{}", response.body);
    if !is_streamed {
        let answer: Value = serde_json::from_str(&response.body).unwrap();
        return answer["choices"][0]["message"].clone();
    }
    let mut message = json!({ "role": "assistant" });
    let mut text = String::new();
    for event in response.events() {
        let delta = &event["choices"][0]["delta"];
        text += delta["content"].as_str().unwrap_or_default();
        if let Some(call) = delta["tool_calls"]
            .get(0)
            .filter(|call| call["id"].is_string())
        {
            let function = json!({ "name": call["function"]["name"], "arguments": "{\"id\":7}" });
            message["tool_calls"] =
                json!([{ "id": call["id"], "type": "function", "function": function }]);
        }
    }
    message["content"] = text.into();
    message
}
