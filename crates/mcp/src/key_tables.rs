//! The tables of the keys of MCP, each with the test that is generated from it.
//!
//! **Invariant:** every key that a reader of this crate knows has a row.

use std::ops::ControlFlow;

use serde_json::{Map, Value, json};

use super::declared::{declared_tools, unread_tools};
use super::incoming::ServerMessages;
use super::key_table::{ANY, ITEM, JsonKind, KeyReading, LIST, WORD, key_problems, row};
use super::result::{CallResult, ListPage, chosen_version, prompt_text, resource_text};
use ananke_agents::{EventReader as _, Sink, Stop, TargetError, Wire};
use ananke_base::context::At;
use ananke_base::message::DeclaredTool;
use ananke_trace::trace::{Change, Fact, Unread};

/// The warnings of a reader.
#[derive(Default)]
pub(super) struct WarningSink(pub(super) Vec<String>);

impl Sink for WarningSink {
    fn wire(&mut self, _: At, _: Wire<'_>) {}

    fn change(&mut self, _: At, change: Change<'_>) -> ControlFlow<Stop> {
        match change {
            Change::Warning(warning) => self.0.push(warning.into_owned()),
            Change::Unread(unread) => self.0.push(unread.warning()),
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// What came of a document of which this was read, and this was not.
fn reading(result: Result<(String, Vec<Unread<'_>>), TargetError>) -> KeyReading {
    match result {
        Ok((read, unread)) => KeyReading {
            unread: unread.iter().map(|unread| unread.facts).collect(),
            read,
            error: None,
        },
        Err(error) => KeyReading {
            error: Some(error.message),
            ..KeyReading::default()
        },
    }
}

#[test]
fn every_key_of_a_result_is_read_unread_or_an_error() {
    let of_result: &[Fact] = &[Fact::Results, Fact::Text];
    let sample = json!({
        "content": [
            { "type": "text", "text": "a" },
            { "type": "resource", "resource": { "text": "b" } },
        ],
        "structuredContent": { "c": 1 },
        "isError": true,
        "_meta": {},
    });
    let rows = [
        row("/content", LIST, of_result),
        row("/content/0", ITEM, of_result),
        row("/content/0/type", WORD, of_result),
        row("/content/0/text", WORD, of_result),
        row("/content/1", ITEM, of_result),
        row("/content/1/type", WORD, of_result),
        row("/content/1/resource", ITEM, of_result),
        row("/content/1/resource/text", WORD, of_result),
        row("/structuredContent", ANY, of_result),
        row("/isError", &[JsonKind::Boolean], &[Fact::Results]),
        row("/_meta", ANY, &[]),
    ];
    let read = |result: &Value| {
        reading(CallResult::read(result.clone()).map(|read| {
            let words = (&read.content, &read.text, &read.beside, read.is_error);
            (format!("{words:?}"), read.unread)
        }))
    };
    assert_eq!(key_problems(&sample, &rows, read), [""; 0]);
}

#[test]
fn every_key_of_another_answer_is_read_unread_or_an_error() {
    let text: &[Fact] = &[Fact::Text];
    let sample = json!({ "contents": [{ "text": "a", "blob": "" }] });
    let rows = [
        row("/contents", LIST, text),
        row("/contents/0", ITEM, text),
        row("/contents/0/text", WORD, text),
        row("/contents/0/blob", ANY, &[]),
    ];
    let read = |result: &Value| {
        reading(resource_text(result.clone()).map(|read| (read.text, read.unread)))
    };
    assert_eq!(key_problems(&sample, &rows, read), [""; 0]);

    let sample =
        json!({ "messages": [{ "role": "user", "content": { "type": "text", "text": "a" } }] });
    let rows = [
        row("/messages", LIST, text),
        row("/messages/0", ITEM, text),
        row("/messages/0/role", ANY, &[]),
        row("/messages/0/content", ITEM, text),
        row("/messages/0/content/type", WORD, text),
        row("/messages/0/content/text", WORD, text),
    ];
    let read =
        |result: &Value| reading(prompt_text(result.clone()).map(|read| (read.text, read.unread)));
    assert_eq!(key_problems(&sample, &rows, read), [""; 0]);

    let sample = json!({ "tools": [{ "name": "a" }], "nextCursor": "2" });
    let declared: &[Fact] = &[Fact::DeclaredTools];
    let rows = [
        row("/tools", LIST, declared),
        row("/tools/0", ANY, &[]),
        row("/nextCursor", WORD, declared),
    ];
    let read = |result: &Value| {
        let page = ListPage::read(result.clone(), "tools/list", "tools");
        reading(page.map(|read| (format!("{read:?}"), Vec::new())))
    };
    assert_eq!(key_problems(&sample, &rows, read), [""; 0]);

    let sample = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {} });
    let rows = [
        row("/protocolVersion", WORD, &[Fact::Events]),
        row("/capabilities", ANY, &[]),
        row("/serverInfo", ANY, &[]),
    ];
    let read =
        |result: &Value| reading(chosen_version(result.clone()).map(|read| (read, Vec::new())));
    assert_eq!(key_problems(&sample, &rows, read), [""; 0]);
}

#[test]
fn every_key_of_a_tool_is_read_unread_or_an_error() {
    let declared: &[Fact] = &[Fact::DeclaredTools];
    let sample = json!([{
        "name": "a", "description": "", "inputSchema": {}, "outputSchema": {}, "annotations": {},
    }]);
    let rows = [
        row("/0", &[JsonKind::Object], declared),
        row("/0/name", &[JsonKind::Text], declared),
        row("/0/description", ANY, &[]),
        // One that is no schema is invalid, as `tools.schema` says.
        row("/0/inputSchema", ANY, declared),
        row("/0/outputSchema", ANY, declared),
        // Without a hint that is read, a tool may change data.
        row("/0/annotations", ANY, &[]),
    ];
    let problems = key_problems(&sample, &rows, |tools| {
        let tools = tools.as_array().expect("a list");
        KeyReading {
            // The other keys are kept as they are.
            read: declared_tools(tools)
                .into_iter()
                .map(|tool| DeclaredTool {
                    rest: Map::new(),
                    ..tool
                })
                .fold(String::new(), |read, tool| read + &format!("{tool:?}")),
            unread: unread_tools(tools)
                .iter()
                .map(|unread| unread.facts)
                .collect(),
            error: None,
        }
    });
    assert_eq!(problems, [""; 0]);
}

#[test]
fn every_key_of_a_message_is_read_unread_or_an_error() {
    let all: &[Fact] = &[Fact::Results, Fact::Text];
    let read = |message: &Value| {
        let mut incoming = ServerMessages::new(2000);
        let mut sink = WarningSink::default();
        incoming.await_response(1);
        let line = message.to_string();
        let read = incoming.event(At(5), line.as_bytes(), &mut sink);
        let waits = incoming.rest().is_none();
        let response = incoming.take_response().map(|response| response.result);
        let stray = incoming.take_unrecognised();
        let error = match (read, &response) {
            (Err(error), _) => Some(error),
            // No answer to a request is an error of its turn.
            (Ok(_), None) => Some(format!("no answer: {stray:?} {waits}")),
            // Each method has an object.
            (Ok(_), Some(Ok(Value::Null))) => Some("a result that is null".to_owned()),
            (Ok(_), Some(_)) => None,
        };
        KeyReading {
            read: format!("{response:?}"),
            unread: Vec::new(),
            error,
        }
    };
    let sample = json!({ "jsonrpc": "2.0", "id": 1, "result": {} });
    let rows = [
        row("/jsonrpc", ANY, &[]),
        row("/id", &[JsonKind::Number, JsonKind::Text], all),
        row("/result", ANY, all),
    ];
    assert_eq!(key_problems(&sample, &rows, read), [""; 0]);
    let sample = json!({
        "jsonrpc": "2.0", "id": 1, "error": { "code": -1, "message": "m", "data": {} },
    });
    let rows = [
        row("/jsonrpc", ANY, &[]),
        row("/id", &[JsonKind::Number, JsonKind::Text], all),
        row("/error", &[JsonKind::Object], all),
        row("/error/code", ANY, all),
        row("/error/message", ANY, all),
        row("/error/data", ANY, all),
    ];
    assert_eq!(key_problems(&sample, &rows, read), [""; 0]);
}
