//! Tests of the provider's side: requests as clients sent them, and answers as the reader of this crate reads them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::message_stream_reader::MessageStreamReader;
use super::model_answer::{
    ReadAnswer, body, captured, events_of, read_any_shape, read_as_model_answer, rounds,
};
use super::served::MessagesWire;
use ananke_agents::{
    EventReader as _, ModelApiError, ModelBody, ModelReader as _, ModelWire as _, Round,
    ServedModelWire as _, ServedResponse, ToolExecution, ToolLoop, UndeclaredCalls,
};
use ananke_base::context::{At, SequentialIds};
use ananke_trace::trace::{FinishReason, ModelToolCall, PromptMessage, RunEnd, Usage};

fn read(body: &Value) -> ModelBody {
    MessagesWire.read(body.to_string().as_bytes()).unwrap()
}

/// The answer as a client reads it.
fn read_back(response: &ServedResponse) -> ReadAnswer {
    let ids = SequentialIds::default();
    let execution = ToolExecution::Observed;
    let mut tools = ToolLoop::new([].into(), execution, UndeclaredCalls::Rejected, &[]);
    let mut server_calls = BTreeMap::new();
    let mut reader = MessageStreamReader::new(&ids, "m", &mut tools, &mut server_calls);
    let mut answer = ReadAnswer::default();
    for event in events_of(response) {
        let flow = reader.event(At(0), event.as_bytes(), &mut answer).unwrap();
        assert!(flow.is_continue());
    }
    reader.finish(&mut answer).unwrap();
    answer
}

fn call(id: &str, tool: &str, args: Value) -> ModelToolCall {
    ModelToolCall {
        id: id.to_owned(),
        tool: tool.to_owned(),
        args,
    }
}

fn user(text: &str) -> PromptMessage {
    PromptMessage::User {
        text: text.to_owned(),
        files: Vec::new(),
    }
}

#[test]
fn clients_ask_the_same_in_the_same_form() {
    let question = [
        PromptMessage::System("You are terse.".to_owned()),
        user("Weather in Bern?"),
    ];
    let round = [
        PromptMessage::Assistant {
            text: String::new(),
            calls: vec![call("toolu_1", "get_weather", json!({ "city": "Bern" }))],
        },
        PromptMessage::Result {
            call: "toolu_1".to_owned(),
            content: "21".into(),
            is_error: false,
        },
    ];
    let whole = [&question[..], &round].concat();
    for client in [
        "anthropic-python",
        "langgraph-anthropic",
        "ai-sdk-anthropic",
        "pydantic-ai-anthropic",
    ] {
        let bodies = captured(client, "/messages");
        for (number, sent) in bodies.iter().enumerate() {
            let body = read(sent);
            let expected = if number % 2 == 0 {
                &question[..]
            } else {
                &whole
            };
            assert_eq!(body.request.messages, expected, "{client}");
            assert_eq!(body.request.tools.len(), 1, "{client}");
            // The streamed request asks the same.
            assert_eq!(body.request, read(&bodies[number % 2]).request, "{client}");
        }
    }
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text, "cache_control": { "type": "ephemeral" } })
}

#[test]
fn the_blocks_of_each_message_are_read() {
    let image = json!({ "type": "image", "source": { "type": "base64", "data": "AA" } });
    let sent = json!({
        "model": "claude-sonnet-5", "max_tokens": 7,
        "system": [text("x-anthropic-billing-header: cch=1;"), text("Be kind.")],
        "messages": [
            { "role": "user", "content": [text("Look"), image] },
            { "role": "assistant", "content": [
                { "type": "thinking", "thinking": "Hm.", "signature": "A" },
                text("So"),
                { "type": "tool_use", "id": "a", "name": "f", "input": { "x": 1 } },
                { "type": "server_tool_use", "id": "s", "name": "web_search", "input": {} },
                { "type": "web_search_tool_result", "tool_use_id": "s", "content": [] },
            ] },
            { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "a", "is_error": true, "content": [text("no"), image] },
                text("And?"),
            ] },
        ],
    });
    let messages = read(&sent).request.messages;
    assert_eq!(messages[0], PromptMessage::System("Be kind.".to_owned()));
    let PromptMessage::User { text, files } = &messages[1] else {
        panic!("{messages:?}");
    };
    assert_eq!((text.as_str(), files.len()), ("Look", 1));
    let calls = vec![
        call("a", "f", json!({ "x": 1 })),
        call("s", "web_search", json!({})),
        call("s", "web_search_tool_result", json!({ "content": [] })),
    ];
    let answer = PromptMessage::Assistant {
        text: "So".to_owned(),
        calls,
    };
    assert_eq!(messages[2], answer);
    let hash = &files[0];
    let content = json!([{ "type": "text", "text": "no" }, { "type": "image", "hash": hash }]);
    let failed = PromptMessage::Result {
        call: "a".to_owned(),
        content,
        is_error: true,
    };
    assert_eq!(messages[3..], [failed, user("And?")]);
}

#[test]
fn the_keys_of_a_body_are_read() {
    let sent = json!({
        "model": "claude-sonnet-5", "max_tokens": 7, "messages": [],
        "tools": [
            { "type": "custom", "name": "f", "input_schema": {} },
            { "type": "web_search_20250305", "name": "web_search", "cache_control": {} },
        ],
        "mcp_servers": [{ "type": "url", "name": "s", "authorization_token": "KEY" }],
        "tool_choice": { "type": "any" }, "metadata": { "user_id": "u" }, "brand_new": 1,
        "output_config": { "effort": "low", "format": { "type": "json_schema" } },
    });
    let request = read(&sent).request;
    assert_eq!(request.tools[0].name, "f");
    let search = json!({ "type": "web_search_20250305", "name": "web_search" });
    let server = json!({ "type": "url", "name": "s" });
    assert_eq!(request.hosted_tools, [search, server]);
    assert_eq!(request.tool_choice, json!({ "type": "any" }));
    assert_eq!(request.output_schema, json!({ "type": "json_schema" }));
    let params = json!({ "output_config": { "effort": "low" }, "brand_new": 1, "max_tokens": 7 });
    assert_eq!(Value::Object(request.params), params);
}

#[test]
fn an_answer_is_read_back() {
    for round in rounds() {
        let streamed = read_back(&MessagesWire.answer(&body(true), "7", &round));
        let whole = MessagesWire.answer(&body(false), "7", &round);
        assert_eq!(
            streamed,
            read_back(&MessagesWire.streamed(whole)),
            "{round:?}"
        );
        assert_eq!(streamed.oddities, [""; 0], "{round:?}");
        let usage = Usage::reported(Some(9), Some(3), None).with_cached(Some(4));
        assert_eq!(streamed.usage, Some(usage));
        assert_eq!(streamed.is_truncated, round.finish == FinishReason::Length);
        let is_refused = matches!(round.finish, FinishReason::Filter | FinishReason::Refusal);
        let refusal = RunEnd::Unknown("refusal".to_owned());
        assert_eq!(streamed.end == Some(refusal), is_refused, "{streamed:?}");
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
fn an_answer_without_known_tokens_has_zeros() {
    let whole = MessagesWire.answer(&body(false), "7", &Round::default());
    let document: Value = serde_json::from_slice(&whole.body()).unwrap();
    assert_eq!(document["id"], "msg_7");
    let usage = json!({ "input_tokens": 0, "output_tokens": 0 });
    assert_eq!(document["usage"], usage);
}

#[test]
fn an_error_has_the_shape_of_the_api() {
    for (error_type, shown) in [
        ("rate_limit_error", "rate_limit_error"),
        ("server_error", "api_error"),
    ] {
        let response = MessagesWire.error(&ModelApiError {
            status: 429,
            error_type,
            code: Some("not_shown"),
            message: "Slow down",
        });
        assert_eq!(response.status, 429);
        let error: Value = serde_json::from_slice(&response.body()).unwrap();
        let expected = json!({ "type": shown, "message": "Slow down" });
        assert_eq!(error, json!({ "type": "error", "error": expected }));
    }
}

#[test]
fn no_shape_of_a_body_is_too_odd() {
    let parts = json!([{ "type": "text", "text": "a" }, { "type": "image", "source": {} }]);
    let sample = json!({
        "model": "m", "max_tokens": 1, "stream": true, "system": parts,
        "messages": [
            { "role": "user", "content": parts },
            { "role": "assistant", "content": [
                { "type": "tool_use", "id": "c", "name": "f", "input": {} },
                { "type": "brand_new", "keys": 1 },
            ] },
            { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "c", "content": parts }] },
        ],
        "tools": [{ "name": "f", "description": "d", "input_schema": {} }],
        "mcp_servers": [{ "name": "s" }], "tool_choice": {}, "output_config": { "format": {} },
    });
    read_any_shape(&MessagesWire, &sample);
}

#[test]
fn an_answer_is_read_in_the_form_of_all_apis() {
    read_as_model_answer(&MessagesWire);
}
