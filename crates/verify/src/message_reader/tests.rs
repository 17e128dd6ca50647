//! Messages of every convention, and what is unread in them.

use serde_json::json;

use super::*;
use crate::tool_end::ToolEnd;

/// The items of messages, on one line.
fn items(value: &Value) -> String {
    let assistant = Some(MessageSpeaker::Assistant);
    let items = Conventions::known().items(value, assistant, "messages", InnerMessages::Read);
    let shown = |text: Option<String>| text.unwrap_or_else(|| "?".to_owned());
    let words = items.into_iter().map(|item| match item {
        MessageItem::Instructs => "system".to_owned(),
        MessageItem::Asks(text) => format!("user {}", shown(text)),
        MessageItem::Says(text) => format!("says {}", shown(text)),
        MessageItem::Reasons(text) => format!("reasons {text}"),
        MessageItem::Calls { id, name, args } => {
            format!("calls {} {}({})", shown(id), shown(name), shown(args))
        }
        MessageItem::Unread(unread) => format!("unread {}", unread.name),
        MessageItem::Answers {
            id, result, end, ..
        } => {
            let error = match end {
                Some(ToolEnd::Failed) => "!",
                Some(ToolEnd::Denied) => "!!",
                Some(ToolEnd::Succeeded) => ".",
                None => "",
            };
            format!(
                "answers {} {}{error}",
                shown(id),
                shown(result.as_ref().map(text_of))
            )
        }
    });
    words.collect::<Vec<_>>().join("; ")
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table of cases")]
fn messages_of_all_conventions_are_read() {
    for (messages, expected) in [
        // GenAI semantic conventions
        (
            json!([
                { "role": "system", "parts": [{ "type": "text", "content": "Be kind." }] },
                { "role": "user", "parts": [{ "type": "text", "content": "Hi" }, { "type": "blob", "data": "x" }] },
                { "role": "assistant", "parts": [
                    { "type": "reasoning", "content": "Hm" }, { "type": "text", "content": "One moment" },
                    { "type": "tool_call", "id": "c", "name": "pay", "arguments": { "n": 1 } }
                ] },
                { "role": "tool", "parts": [{ "type": "tool_call_response", "id": "c", "response": { "ok": true } }] },
            ]),
            "system; user Hi; reasons Hm; says One moment; calls c pay({\"n\":1}); answers c {\"ok\":true}",
        ),
        // Without their contents
        (
            json!([{ "role": "user", "parts": [{ "type": "text" }] }, { "role": "assistant", "parts": [{ "type": "tool_call", "id": "c", "name": "pay" }] }]),
            "user ?; calls c pay(?)",
        ),
        // OpenAI
        (
            json!([
                { "role": "assistant", "content": null, "tool_calls": [{ "id": "c", "type": "function", "function": { "name": "pay", "arguments": "{}" } }] },
                { "role": "tool", "tool_call_id": "c", "content": "done" },
                { "role": "tool", "tool_call_id": "d", "content": [{ "type": "text", "text": "done" }] },
                { "role": "assistant", "content": [{ "type": "text", "text": "Done" }] },
                { "role": "assistant", "refusal": "Never" },
            ]),
            "calls c pay({}); answers c done; answers d done; says Done; says Never",
        ),
        // OpenAI's responses
        (
            json!([
                { "type": "function_call", "call_id": "c", "id": "fc", "name": "pay", "arguments": "{}" },
                { "type": "function_call_output", "call_id": "c", "output": "done" },
                { "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "Done" }] },
            ]),
            "calls c pay({}); answers c done; says Done",
        ),
        // Anthropic
        (
            json!([
                { "role": "assistant", "content": [{ "type": "tool_use", "id": "c", "name": "pay", "input": {} }] },
                { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "c", "content": "no", "is_error": true }] },
                { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "d", "content": [{ "type": "text", "text": "yes" }] }] },
                { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "e", "content": "yes", "is_error": "maybe" }] },
            ]),
            "calls c pay({}); answers c no!; answers d yes.; unread key:messages[].content[].is_error; answers e yes",
        ),
        // Anthropic, streamed by LangChain: the arguments of a call are in another place than the block
        (
            json!([{ "type": "ai", "data": {
                "content": [
                    { "type": "tool_use", "id": "c", "name": "pay", "input": {}, "partial_json": "{\"n\": 1}" },
                    { "type": "tool_use", "id": "d", "name": "pay", "input": {} },
                ],
                "tool_calls": [{ "id": "c", "name": "pay", "args": { "n": 1 } }, { "id": "d", "name": "pay", "args": { "n": 2 } }],
                "invalid_tool_calls": [{ "id": "e", "name": "pay", "args": "{\"n", "error": null }],
                "tool_call_chunks": [{ "id": "c", "name": "pay", "args": "{\"n\":1}" }],
            } }]),
            "calls c pay({\"n\": 1}); calls d pay({\"n\":2}); calls e pay({\"n)",
        ),
        // Vercel
        (
            json!([{ "role": "assistant", "content": [{ "type": "tool-call", "toolCallId": "c", "toolName": "pay", "args": {} }] }]),
            "calls c pay({})",
        ),
        // OpenInference
        (
            json!([{ "message": { "role": "assistant", "tool_calls": [{ "tool_call": { "id": "c", "function": { "name": "pay", "arguments": "{}" } } }] } }]),
            "calls c pay({})",
        ),
        (json!("[{\"role\":\"user\",\"content\":\"Hi\"}]"), "user Hi"),
        (json!("Hi"), "says Hi"),
    ] {
        assert_eq!(items(&messages), expected, "{messages}");
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table of cases")]
fn calls_of_many_forms_are_calls() {
    for (message, expected) in [
        // OpenAI: functions, custom tools, and what servers execute
        (
            json!({ "role": "assistant", "content": null, "function_call": { "name": "pay", "arguments": "{}" } }),
            "calls ? pay({})",
        ),
        (
            json!({ "role": "function", "name": "pay", "content": "done" }),
            "answers ? done",
        ),
        (
            json!({ "role": "assistant", "tool_calls": [{ "id": "c", "type": "custom", "custom": { "name": "pay", "input": "all" } }] }),
            "calls c pay(all)",
        ),
        (
            json!({ "type": "mcp_call", "id": "c", "name": "pay", "arguments": "{}", "output": "done", "error": null }),
            "calls c pay({}); answers c done.",
        ),
        (
            json!({ "type": "mcp_call", "id": "c", "name": "pay", "arguments": "{}", "error": "no" }),
            "calls c pay({}); answers c no!",
        ),
        (
            json!({ "type": "web_search_call", "id": "c", "action": { "query": "x" } }),
            "calls c web_search({\"query\":\"x\"})",
        ),
        (
            json!({ "role": "assistant", "toolCalls": [{ "id": "c", "function": { "name": "pay", "arguments": "{}" } }] }),
            "calls c pay({})",
        ),
        // Anthropic
        (
            json!({ "role": "assistant", "content": [
                { "type": "server_tool_use", "id": "c", "name": "bash", "input": {} },
                { "type": "bash_code_execution_tool_result", "tool_use_id": "c", "content": { "stdout": "" } },
            ] }),
            "calls c bash({}); answers c {\"stdout\":\"\"}",
        ),
        // Gemini
        (
            json!({ "role": "model", "parts": [{ "functionCall": { "name": "pay", "args": {} } }] }),
            "calls ? pay({})",
        ),
        (
            json!({ "role": "user", "parts": [{ "functionResponse": { "name": "pay", "response": "done" } }] }),
            "answers ? done",
        ),
        (
            json!({ "role": "user", "parts": [
                { "functionResponse": { "name": "pay", "response": { "output": 7 } } },
                { "functionResponse": { "name": "pay", "response": { "error": "no" } } },
            ] }),
            "answers ? 7.; answers ? no!",
        ),
        (
            json!({ "role": "model", "parts": [{ "text": "Hm", "thought": true }, { "text": "Done" }] }),
            "reasons Hm; says Done",
        ),
        // Amazon Bedrock
        (
            json!({ "role": "assistant", "content": [{ "toolUse": { "toolUseId": "c", "name": "pay", "input": {} } }] }),
            "calls c pay({})",
        ),
        (
            json!({ "role": "user", "content": [{ "toolResult": { "toolUseId": "c", "status": "error", "content": "no" } }] }),
            "answers c no!",
        ),
        (
            json!({ "role": "user", "content": [{ "toolResult": { "toolUseId": "c", "status": "success", "content": [{ "json": { "n": 1 } }] } }] }),
            "answers c {\"n\":1}.",
        ),
        (
            json!({ "role": "assistant", "content": [
                { "reasoningContent": { "reasoningText": { "text": "Hm", "signature": "s" } } },
                { "reasoningContent": { "redactedContent": "x" } },
                { "text": "Done" },
            ] }),
            "reasons Hm; says Done",
        ),
        // LangChain
        (
            json!({ "type": "ai", "data": { "type": "ai", "content": "", "tool_calls": [{ "name": "pay", "args": {}, "id": "c" }],
                "additional_kwargs": { "tool_calls": [{ "id": "c", "function": { "name": "pay", "arguments": "{}" } }] } } }),
            "says ; calls c pay({})",
        ),
        (
            json!({ "type": "ai", "content": "", "additional_kwargs": { "function_call": { "name": "pay", "arguments": "{}" } } }),
            "says ; calls ? pay({})",
        ),
        (
            json!({ "type": "AIMessageChunk", "content": "One moment", "tool_call_chunks": [{ "name": "pay", "args": "{}", "id": "c", "index": 0 }] }),
            "says One moment; calls c pay({})",
        ),
        (
            json!({ "type": "tool", "data": { "content": "done", "tool_call_id": "c", "status": "error" } }),
            "answers c done!",
        ),
        // AI SDK
        (
            json!({ "role": "assistant", "parts": [
                { "type": "step-start" },
                { "type": "tool-pay", "toolCallId": "c", "state": "output-available", "input": {}, "output": "done" },
                { "type": "dynamic-tool", "toolName": "pay", "toolCallId": "d", "state": "output-error", "input": {}, "errorText": "no" },
                { "type": "tool-invocation", "toolInvocation": { "toolCallId": "e", "toolName": "pay", "args": {}, "state": "call" } },
            ] }),
            "calls c pay({}); answers c done.; calls d pay({}); answers d no!; calls e pay({})",
        ),
        (
            json!({ "role": "assistant", "parts": [
                { "type": "tool-pay", "toolCallId": "c", "state": "output-denied", "input": {}, "approval": { "id": "a", "approved": false } },
                { "type": "tool-pay", "toolCallId": "d", "state": "approval-responded", "input": {}, "approval": { "id": "a", "approved": true } },
            ] }),
            "calls c pay({}); answers c !!; calls d pay({})",
        ),
        (
            json!({ "role": "tool", "content": [
                { "type": "tool-result", "toolCallId": "c", "toolName": "pay", "output": { "type": "json", "value": { "n": 1 } } },
                { "type": "tool-result", "toolCallId": "d", "toolName": "pay", "output": { "type": "error-text", "value": "no" } },
                { "type": "tool-result", "toolCallId": "e", "toolName": "pay", "output": { "type": "execution-denied", "reason": "never" } },
            ] }),
            "answers c {\"n\":1}.; answers d no!; answers e never!!",
        ),
        // Content as a text of JSON, as attributes have it
        (
            json!({ "role": "assistant", "content": r#"[{"type":"function","id":"c","function":{"name":"pay","arguments":"{}"}}]"# }),
            "calls c pay({})",
        ),
        (
            json!({ "role": "assistant", "content": r#"[{"total":7}]"# }),
            "says [{\"total\":7}]",
        ),
    ] {
        assert_eq!(items(&message), expected, "{message}");
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table of cases")]
fn what_is_not_understood_is_unread() {
    let call = json!({ "name": "pay", "arguments": {} });
    for (message, expected) in [
        (json!({ "role": "bot", "content": "x" }), "unread role:bot"),
        (
            json!({ "type": "future", "content": "x" }),
            "unread type:future",
        ),
        (
            json!({ "role": "assistant", "content": [{ "type": "future", "text": "x" }] }),
            "unread part:future",
        ),
        (
            json!({ "role": "assistant", "content": [{ "future": call }] }),
            "unread part:future",
        ),
        (
            json!({ "role": "assistant", "content": "x", "future": call }),
            "says x; unread key:messages.future",
        ),
        (
            json!([{ "role": "assistant", "content": "x", "future": [{ "a": call }] }]),
            "says x; unread key:messages[].future",
        ),
        (
            json!({ "role": "assistant", "content": [{ "type": "text", "text": "x", "future": call }] }),
            "says x; unread key:messages.content[].future",
        ),
        (
            json!({ "role": "assistant", "content": "x", "message": { "content": "y" } }),
            "unread key:messages.content; says x",
        ),
        (
            json!({ "type": "tool_call", "id": "c", "name": "pay", "arguments": "{}", "input": { "all": 1 } }),
            "calls c pay({\"all\":1})",
        ),
        (
            json!({ "type": "tool_call", "id": "c", "name": "pay", "arguments": "{\"all\":0}", "input": { "all": 1 } }),
            "unread arguments:pay; calls c pay({\"all\":0})",
        ),
        (
            json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": "c", "name": "pay", "input": { "n": 1 } }],
                "tool_calls": [{ "id": "c", "name": "pay", "args": { "n": 2 } }] }),
            "calls c pay({\"n\":1}); unread arguments:pay",
        ),
        (
            json!({ "role": "assistant", "tool_calls": [{ "id": "c", "name": ["pay"], "args": {} }] }),
            "calls c ?({})",
        ),
        (
            json!({ "role": "model", "parts": [{ "text": "Hm", "thought": "yes" }] }),
            "unread part:reasoning",
        ),
        (
            json!({ "role": "user", "parts": [{ "functionResponse": "done" }] }),
            "unread result:",
        ),
        (
            json!({ "type": "tool_call", "id": "c", "name": "look", "tool_name": "pay" }),
            "unread key:messages.tool_name; calls c look(?)",
        ),
        (
            json!({ "role": "assistant", "tool_calls": ["pay"] }),
            "calls ? ?(pay)",
        ),
        (
            json!({ "role": "assistant", "tool_calls": [{ "id": "c", "function": { "arguments": "{}" } }] }),
            "calls c ?({})",
        ),
    ] {
        assert_eq!(items(&message), expected, "{message}");
    }
}

#[test]
fn what_no_rule_is_about_is_skipped() {
    for (message, expected) in [
        (
            json!({ "role": "user", "content": [{ "type": "image_url", "image_url": { "url": "x" } }] }),
            "",
        ),
        (
            json!({ "role": "assistant", "content": "x", "x_vendor": { "score": 1, "note": "call me" } }),
            "says x",
        ),
        (
            json!({ "role": "assistant", "content": "<elided>" }),
            "says ?",
        ),
        (
            json!({ "role": "assistant", "content": "x", "metadata": { "name": "pay", "input": 1 } }),
            "says x",
        ),
        (
            json!({ "type": "mcp_list_tools", "tools": [{ "name": "pay", "input": 1 }] }),
            "",
        ),
        (
            json!({ "role": "assistant", "parts": [{ "type": "data-progress", "data": { "text": "x" } }, { "type": "text", "text": "x" }] }),
            "says x",
        ),
    ] {
        assert_eq!(items(&message), expected, "{message}");
    }
}

#[test]
fn what_is_said_in_sound_is_read_by_its_transcript() {
    for (messages, expected) in [
        (
            json!([{ "role": "assistant", "content": null, "audio": { "id": "a", "data": "UklGRg==", "transcript": "paid" } }]),
            "says paid",
        ),
        (
            json!([{ "role": "assistant", "content": [{ "type": "output_audio", "transcript": "paid" }] }]),
            "says paid",
        ),
        (
            json!([{ "role": "assistant", "content": "paid", "audio": { "id": "a", "transcript": "paid" } }]),
            "says paid",
        ),
        (
            json!([{ "role": "user", "content": [{ "type": "text", "text": "Hi" }, { "type": "input_audio", "input_audio": { "data": "x" } }] }]),
            "user Hi",
        ),
    ] {
        assert_eq!(items(&messages), expected, "{messages}");
    }
}

#[test]
fn a_duplicate_key_in_the_json_of_a_text_is_unread() {
    let messages = json!(r#"[{"role":"assistant","content":"paid","content":"fine"}]"#);
    assert_eq!(
        items(&messages),
        "unread duplicate:messages.content; says fine"
    );
}
