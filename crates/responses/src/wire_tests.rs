//! Tests of the provider's side: requests as clients sent them, and answers as the reader of this crate reads them.

use serde_json::{Value, json};

use super::model_answer::{
    ReadAnswer, body, captured, events_of, read_any_shape, read_as_model_answer, rounds,
};
use super::response_reader::ResponseReader;
use super::served::ResponsesWire;
use ananke_agents::{
    EventReader as _, ModelApiError, ModelBody, ModelReader as _, ModelWire as _,
    ServedModelWire as _, ServedResponse, ToolExecution, ToolLoop, UndeclaredCalls,
};
use ananke_base::context::{At, SequentialIds};
use ananke_trace::trace::{FinishReason, ModelToolCall, PromptMessage, RunEnd, Usage};

fn read(body: &Value) -> ModelBody {
    ResponsesWire.read(body.to_string().as_bytes()).unwrap()
}

/// The answer as a client reads it.
fn read_back(response: &ServedResponse) -> ReadAnswer {
    let ids = SequentialIds::default();
    let execution = ToolExecution::Observed;
    let mut tools = ToolLoop::new([].into(), execution, UndeclaredCalls::Rejected, &[]);
    let mut approved = Vec::new();
    let mut reader = ResponseReader::new(&ids, "m", &mut tools, &mut approved);
    let mut answer = ReadAnswer::default();
    for event in events_of(response) {
        let flow = reader.event(At(0), event.as_bytes(), &mut answer).unwrap();
        assert!(flow.is_continue());
    }
    reader.finish(&mut answer).unwrap();
    answer
}

fn user(text: &str) -> PromptMessage {
    PromptMessage::User {
        text: text.to_owned(),
        files: Vec::new(),
    }
}

fn call(id: &str, tool: &str, args: Value) -> ModelToolCall {
    ModelToolCall {
        id: id.to_owned(),
        tool: tool.to_owned(),
        args,
    }
}

/// An answer of the model without text.
fn calling(calls: &[ModelToolCall]) -> PromptMessage {
    PromptMessage::Assistant {
        text: String::new(),
        calls: calls.to_vec(),
    }
}

fn result(content: Value) -> PromptMessage {
    PromptMessage::Result {
        call: "call_1".to_owned(),
        content,
        is_error: false,
    }
}

#[test]
fn clients_ask_the_same_in_the_same_form() {
    let question = [
        PromptMessage::System("You are terse.".to_owned()),
        user("Weather in Bern?"),
    ];
    let called = call("call_1", "get_weather", json!({ "city": "Bern" }));
    let round = [calling(&[called]), result("21".into())];
    let whole = [&question[..], &round].concat();
    for client in [
        "openai-python-responses",
        "openai-node",
        "openai-agents-python",
    ] {
        let bodies = captured(client, "/responses");
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
            // The streamed request asks the same.
            assert_eq!(body.request, read(&bodies[number % 2]).request, "{client}");
        }
    }
    // This client refers to the call, which only the provider knows.
    let bodies = captured("mastra-openai", "/responses");
    let reference = calling(&[call("fc_1", "", Value::Null)]);
    let round = [reference, result("{\"t\":21}".into())];
    let whole = [&question[..], &round].concat();
    assert_eq!(read(&bodies[1]).request.messages, whole);
}

#[test]
fn the_items_of_an_answer_are_one_message() {
    let text = json!({ "type": "output_text", "text": "So", "annotations": [] });
    let refusal = json!({ "type": "refusal", "refusal": "No." });
    let shot = json!({ "type": "computer_screenshot", "image_url": "u" });
    let sent = json!({
        "model": "gpt-5", "previous_response_id": "resp_1",
        "input": [
            { "type": "additional_tools", "role": "developer", "tools": [{ "type": "function", "name": "late" }] },
            { "role": "user", "content": [{ "type": "input_image", "image_url": "u" }] },
            { "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "A" },
            { "type": "message", "id": "msg_1", "role": "assistant", "content": [text, refusal] },
            { "type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "f", "arguments": "" },
            { "type": "custom_tool_call", "call_id": "b", "name": "sql", "input": "select 1" },
            { "type": "web_search_call", "id": "ws_1", "status": "completed", "action": { "query": "q" } },
            { "type": "mcp_approval_request", "id": "mcpr_1", "name": "pay", "arguments": "{}", "server_label": "s" },
            { "type": "item_reference", "id": "rs_2" },
            { "type": "computer_call_output", "call_id": "call_1", "output": shot, "status": "failed" },
            { "type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": true },
        ],
        "tools": [{ "type": "mcp", "server_label": "s", "headers": { "authorization": "KEY" } }],
        "text": { "format": { "type": "json_schema", "name": "n" }, "verbosity": "low" },
        "reasoning": { "effort": "low" }, "max_output_tokens": 7, "brand_new": true, "include": [],
    });
    let body = read(&sent);
    assert_eq!(body.previous.as_deref(), Some("resp_1"));
    let request = body.request;
    let messages = request.messages.as_slice();
    assert!(
        matches!(&messages[0], PromptMessage::User { text, files } if text.is_empty() && files.len() == 1)
    );
    let calls = vec![
        call("call_1", "f", json!({})),
        call("b", "sql", "select 1".into()),
        call("ws_1", "web_search", json!({ "action": { "query": "q" } })),
        call("mcpr_1", "pay", json!({})),
    ];
    let expected = [
        PromptMessage::Assistant {
            text: "SoNo.".to_owned(),
            calls,
        },
        PromptMessage::Result {
            call: "call_1".to_owned(),
            content: shot,
            is_error: true,
        },
        PromptMessage::Approval {
            id: "mcpr_1".to_owned(),
            is_approved: true,
        },
    ];
    assert_eq!(messages[1..], expected);
    assert_eq!(request.tools[0].name, "late");
    let hosted = json!({ "type": "mcp", "server_label": "s" });
    assert_eq!(request.hosted_tools, [hosted]);
    let schema = json!({ "type": "json_schema", "name": "n" });
    assert_eq!(request.output_schema, schema);
    let params = json!({
        "text": { "verbosity": "low" }, "reasoning": { "effort": "low" }, "max_output_tokens": 7, "brand_new": true,
    });
    assert_eq!(Value::Object(request.params), params);
}

#[test]
fn an_answer_is_read_back() {
    for round in rounds() {
        let streamed = read_back(&ResponsesWire.answer(&body(true), "7", &round));
        let whole = ResponsesWire.answer(&body(false), "7", &round);
        assert_eq!(
            streamed,
            read_back(&ResponsesWire.streamed(whole)),
            "{round:?}"
        );
        assert_eq!(streamed.oddities, [""; 0], "{round:?}");
        let usage = Usage::reported(Some(9), Some(3), None).with_cached(Some(4));
        assert_eq!(streamed.usage, Some(usage));
        assert_eq!(streamed.is_truncated, round.finish == FinishReason::Length);
        let is_filtered = matches!(streamed.end, Some(RunEnd::Unknown(_)));
        assert_eq!(
            is_filtered,
            round.finish == FinishReason::Filter,
            "{streamed:?}"
        );
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
fn an_answer_that_was_stopped_is_incomplete() {
    let rounds = rounds();
    for (number, status, reason, item_status, part) in [
        (0, "completed", Value::Null, "completed", "output_text"),
        (
            1,
            "incomplete",
            "max_output_tokens".into(),
            "incomplete",
            "output_text",
        ),
        (
            2,
            "incomplete",
            "content_filter".into(),
            "incomplete",
            "output_text",
        ),
        (3, "completed", Value::Null, "completed", "refusal"),
    ] {
        let whole = ResponsesWire.answer(&body(false), "7", &rounds[number]);
        let document: Value = serde_json::from_slice(&whole.body()).unwrap();
        assert_eq!(document["id"], "resp_7");
        assert_eq!(document["status"], status);
        assert_eq!(document["incomplete_details"]["reason"], reason);
        let item = &document["output"][0];
        assert_eq!(item["id"], "msg_70");
        assert_eq!(item["status"], item_status);
        assert_eq!(item["content"][0]["type"], part);
    }
}

#[test]
fn an_error_has_the_shape_of_the_api() {
    let response = ResponsesWire.error(&ModelApiError {
        status: 503,
        error_type: "overloaded_error",
        code: None,
        message: "Busy",
    });
    assert_eq!(response.status, 503);
    let error: Value = serde_json::from_slice(&response.body()).unwrap();
    let expected =
        json!({ "message": "Busy", "type": "server_error", "param": null, "code": null });
    assert_eq!(error, json!({ "error": expected }));
}

#[test]
fn no_shape_of_a_body_is_too_odd() {
    let parts =
        json!([{ "type": "input_text", "text": "a" }, { "type": "refusal", "refusal": "b" }]);
    let sample = json!({
        "model": "m", "stream": true, "previous_response_id": "r", "instructions": "i",
        "input": [
            { "type": "message", "role": "user", "content": parts },
            { "type": "message", "role": "assistant", "content": parts },
            { "type": "function_call", "id": "f", "call_id": "c", "name": "f", "arguments": "{}" },
            { "type": "function_call_output", "call_id": "c", "output": parts, "status": "failed" },
            { "type": "mcp_approval_response", "approval_request_id": "a", "approve": true },
            { "type": "additional_tools", "tools": [{ "type": "function", "name": "g" }] },
            { "type": "item_reference", "id": "i" },
        ],
        "tools": [{ "type": "function", "name": "f", "description": "d", "parameters": {} }],
        "tool_choice": "auto", "text": { "format": { "type": "text" } }, "temperature": 1,
    });
    read_any_shape(&ResponsesWire, &sample);
}

#[test]
fn an_answer_is_read_in_the_form_of_all_apis() {
    read_as_model_answer(&ResponsesWire);
}
