//! Tests of the provider's side: requests as clients sent them, and answers as the reader of this crate reads them.

use serde_json::{Value, json};

use super::model_answer::{
    ReadAnswer, body, captured, events_of, read_any_shape, read_as_model_answer, rounds,
};
use super::reply_reader::ReplyReader;
use super::served::ChatWire;
use ananke_agents::http::StreamReader as _;
use ananke_agents::{
    EventReader as _, ModelApiError, ModelBody, ModelReader as _, ModelWire as _, Round,
    ServedModelWire as _, ServedResponse, ToolExecution, ToolLoop, UndeclaredCalls,
};
use ananke_base::context::{At, SequentialIds};
use ananke_trace::trace::{FinishReason, ModelToolCall, PromptMessage, RunEnd, Usage};

fn read(body: &Value) -> ModelBody {
    ChatWire.read(body.to_string().as_bytes()).unwrap()
}

/// The answer as a client reads it.
fn read_back(response: &ServedResponse) -> ReadAnswer {
    let ids = SequentialIds::default();
    let execution = ToolExecution::Observed;
    let mut tools = ToolLoop::new([].into(), execution, UndeclaredCalls::Rejected, &[]);
    let mut reader = ReplyReader::new(&ids, "m", &mut tools);
    let mut answer = ReadAnswer::default();
    for event in events_of(response) {
        if event == "[DONE]" {
            reader.end_mark(At(0));
        } else {
            let flow = reader.event(At(0), event.as_bytes(), &mut answer).unwrap();
            assert!(flow.is_continue());
        }
    }
    reader.finish(&mut answer).unwrap();
    answer
}

#[test]
fn clients_ask_the_same_in_the_same_form() {
    let question = [
        PromptMessage::System("You are terse.".to_owned()),
        PromptMessage::User {
            text: "Weather in Bern?".to_owned(),
            files: Vec::new(),
        },
    ];
    let call = ModelToolCall {
        id: "call_1".to_owned(),
        tool: "get_weather".to_owned(),
        args: json!({ "city": "Bern" }),
    };
    let round = [
        PromptMessage::Assistant {
            text: String::new(),
            calls: vec![call],
        },
        PromptMessage::Result {
            call: "call_1".to_owned(),
            content: "21".into(),
            is_error: false,
        },
    ];
    let whole = [&question[..], &round].concat();
    let mut requests = Vec::new();
    for client in [
        "openai-python-chat",
        "openai-node",
        "langgraph-openai",
        "ai-sdk-openai-chat",
    ] {
        let bodies = captured(client, "/chat/completions");
        for (number, sent) in bodies.iter().enumerate() {
            let body = read(sent);
            let expected = if number % 2 == 0 {
                &question[..]
            } else {
                &whole
            };
            assert_eq!(body.request.messages, expected, "{client}");
            assert_eq!(body.is_streamed, number > 1, "{client}");
            assert_eq!(body.request.tools.len(), 1, "{client}");
            // The schemas of this client have further keys.
            if client != "ai-sdk-openai-chat" {
                requests.push(body.request);
            }
        }
    }
    for (number, request) in requests.iter().enumerate() {
        assert_eq!(*request, requests[number % 2]);
    }
}

#[test]
fn a_body_is_read_as_a_whole() {
    let image = json!({ "type": "image_url", "image_url": { "url": "data:image/png;base64,AA" } });
    let sent = json!({
        "model": "gpt-5",
        "messages": [
            { "role": "developer", "content": [{ "type": "text", "text": "Be kind." }] },
            { "role": "user", "content": [{ "type": "text", "text": "Look" }, image] },
            { "role": "assistant", "content": "So", "refusal": "No.", "tool_calls": [
                { "id": "a", "type": "function", "function": { "name": "f", "arguments": "{\"a\"" } },
                { "id": "b", "type": "custom", "custom": { "name": "sql", "input": "select 1" } },
            ] },
            { "role": "tool", "tool_call_id": "a", "content": [{ "type": "text", "text": "ok" }] },
        ],
        "tools": [{ "type": "web_search", "cache_control": {} }],
        "tool_choice": "required", "response_format": { "type": "json_object" },
        "temperature": 0.10, "max_completion_tokens": 7, "brand_new": [1], "stop": null,
        "user": "u", "store": true, "metadata": {}, "stream": true, "stream_options": {},
    });
    let body = read(&sent);
    assert!(!body.reports_usage);
    let request = body.request;
    let PromptMessage::User { text, files } = &request.messages[1] else {
        panic!("{request:?}");
    };
    assert_eq!((text.as_str(), files.len()), ("Look", 1));
    let calls = [("a", "f", "{\"a\""), ("b", "sql", "select 1")];
    let calls = calls.map(|(id, tool, args)| ModelToolCall {
        id: id.to_owned(),
        tool: tool.to_owned(),
        args: args.into(),
    });
    assert_eq!(
        request.messages[2],
        PromptMessage::Assistant {
            text: "SoNo.".to_owned(),
            calls: calls.into(),
        }
    );
    assert_eq!(request.hosted_tools, [json!({ "type": "web_search" })]);
    assert_eq!(request.tool_choice, "required");
    assert_eq!(request.output_schema, json!({ "type": "json_object" }));
    let params =
        json!({ "temperature": sent["temperature"], "max_completion_tokens": 7, "brand_new": [1] });
    assert_eq!(Value::Object(request.params), params);
}

#[test]
fn an_answer_is_read_back() {
    for round in rounds() {
        let streamed = read_back(&ChatWire.answer(&body(true), "7", &round));
        let whole = ChatWire.answer(&body(false), "7", &round);
        assert_eq!(streamed, read_back(&ChatWire.streamed(whole)), "{round:?}");
        assert_eq!(streamed.oddities, [""; 0], "{round:?}");
        let usage = Usage::reported(Some(9), Some(3), None).with_cached(Some(4));
        assert_eq!(streamed.usage, Some(usage));
        // The reader has no word for a filter.
        assert_eq!(streamed.is_truncated, round.finish == FinishReason::Length);
        assert_eq!(streamed.end, Some(RunEnd::Finished));
        if round.calls > 0 {
            assert_eq!(streamed.text, "Wait.");
            assert_eq!(streamed.reasoning, "Hm.");
        } else {
            assert_eq!(streamed.text, "I cannot.");
        }
        assert_eq!(streamed.calls.len(), round.calls);
    }
}

#[test]
fn an_answer_says_why_it_ended() {
    for (round, reason) in rounds().iter().zip([
        "stop",
        "length",
        "content_filter",
        "stop",
        "tool_calls",
        "length",
    ]) {
        let whole = ChatWire.answer(&body(false), "7", round);
        let document: Value = serde_json::from_slice(&whole.body()).unwrap();
        assert_eq!(document["id"], "chatcmpl-7");
        let choice = &document["choices"][0];
        assert_eq!(choice["finish_reason"], reason);
        // The text of a refusal has a key of its own.
        let is_refusal = round.finish == FinishReason::Refusal;
        assert_eq!(choice["message"]["content"].is_null(), is_refusal);
        assert_eq!(choice["message"]["refusal"].is_string(), is_refusal);
    }
}

#[test]
fn tokens_are_reported_only_if_they_are_known_and_asked_for() {
    for (reports_usage, usage, has_usage) in [
        (true, Some(Usage::reported(Some(1), Some(1), None)), true),
        (false, Some(Usage::reported(Some(1), Some(1), None)), false),
        (true, None, false),
    ] {
        let body = ModelBody {
            reports_usage,
            ..body(true)
        };
        let round = Round {
            usage,
            ..Round::default()
        };
        let answer = read_back(&ChatWire.answer(&body, "7", &round));
        assert_eq!(answer.usage.is_some(), has_usage);
    }
}

#[test]
fn an_error_has_the_shape_of_the_api() {
    let response = ChatWire.error(&ModelApiError {
        status: 429,
        error_type: "rate_limit_error",
        code: Some("rate_limit_exceeded"),
        message: "Slow down",
    });
    assert_eq!(response.status, 429);
    let error: Value = serde_json::from_slice(&response.body()).unwrap();
    let expected = json!({ "message": "Slow down", "type": "rate_limit_error", "param": null, "code": "rate_limit_exceeded" });
    assert_eq!(error, json!({ "error": expected }));
}

#[test]
fn no_shape_of_a_body_is_too_odd() {
    let parts = json!([{ "type": "text", "text": "a" }, { "type": "image_url", "image_url": {} }]);
    let call =
        json!({ "id": "a", "type": "function", "function": { "name": "f", "arguments": "{}" } });
    let tool = json!({ "type": "function", "function": { "name": "f", "description": "d", "parameters": {} } });
    let sample = json!({
        "model": "m", "stream": true, "stream_options": { "include_usage": true },
        "messages": [
            { "role": "user", "content": parts },
            { "role": "assistant", "content": "a", "refusal": "b", "tool_calls": [call] },
            { "role": "tool", "tool_call_id": "a", "content": parts },
        ],
        "tools": [tool], "tool_choice": "auto", "response_format": {}, "temperature": 1,
    });
    read_any_shape(&ChatWire, &sample);
}

#[test]
fn an_answer_is_read_in_the_form_of_all_apis() {
    read_as_model_answer(&ChatWire);
}
