//! Messages of a server in every form, while a client waits for a response.

use crate::incoming::{AFTER_BARE, ServerMessages};
use crate::key_tables::WarningSink;
use crate::rpc_response::{McpResponse, RpcError};
use crate::server_requests::Asked;
use ananke_agents::{EventReader, Rest};
use ananke_base::context::At;
use serde_json::Value;

/// The messages, the result and the warnings that a client reads in one line while it waits for the response to
/// request 1.
fn read(line: &str) -> (ServerMessages, Result<(), String>, Vec<String>) {
    let (mut incoming, mut sink) = (ServerMessages::new(200), WarningSink::default());
    incoming.await_response(1);
    let flow = incoming.event(At(5), line.as_bytes(), &mut sink);
    (incoming, flow.map(|_| ()), sink.0)
}

#[test]
fn a_request_of_the_server_with_the_id_of_ours_is_no_response() {
    let (mut incoming, read, _) = read(r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#);
    assert_eq!(read, Ok(()));
    assert!(incoming.rest().is_some(), "it waits for an answer");
    assert_eq!(incoming.take_response(), None);
    let asked = Asked {
        id: 1.into(),
        method: "roots/list".to_owned(),
        params: Value::Null,
    };
    assert_eq!(incoming.take_asked(), Some(asked));
    assert!(incoming.rest().is_none());
}

#[test]
fn a_key_that_is_duplicated_with_another_value_is_unread() {
    let line =
        |second: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"a":1,"a":{second}}}}}"#);
    let (_, _, warnings) = read(&line("2"));
    assert_eq!(
        warnings,
        ["`duplicate:a` was not read: `a` is duplicated with another value"]
    );
    let (_, _, warnings) = read(&line("1"));
    assert_eq!(warnings, [""; 0]);
}

#[test]
fn a_response_is_a_result_or_an_error() {
    let (mut incoming, ..) = read(r#"{"jsonrpc":"2.0","id":1,"result":{"a":1}}"#);
    let result = Ok(serde_json::json!({ "a": 1 }));
    assert_eq!(
        incoming.take_response(),
        Some(McpResponse {
            id: 1,
            at: At(5),
            result
        })
    );
    for id in ["1", "null"] {
        let line =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32602,"message":"no"}}}}"#);
        let (mut incoming, ..) = read(&line);
        let error = RpcError {
            code: Some("-32602".to_owned()),
            message: "no".to_owned(),
            data: Value::Null,
        };
        assert_eq!(
            incoming.take_response().map(|response| response.result),
            Some(Err(error))
        );
    }
}

#[test]
fn what_is_no_message_is_a_warning() {
    for noise in ["Listening", "[1]", r#"{"level":"info"}"#, "\u{fffd}"] {
        let (incoming, read, warnings) = read(noise);
        assert_eq!((read, warnings.len()), (Ok(()), 1), "{noise}");
        assert!(incoming.rest().is_none());
    }
}

#[test]
fn ids_are_compared_as_text_and_null_is_neither_a_result_nor_an_error() {
    for (line, warned) in [
        (r#"{"jsonrpc":"2.0","id":"1","result":{}}"#, 1),
        (r#"{"jsonrpc":"2.0","id":1.0,"result":{}}"#, 1),
        (r#"{"jsonrpc":"2.0","id":1,"result":{},"error":null}"#, 0),
    ] {
        let (mut incoming, read, warnings) = read(line);
        assert_eq!((read, warnings.len()), (Ok(()), warned), "{line}");
        let response = incoming.take_response().map(|response| response.result);
        assert_eq!(response, Some(Ok(serde_json::json!({}))), "{line}");
    }
    for line in [
        r#"{"jsonrpc":"2.0","id":7,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":"01","result":{}}"#,
    ] {
        let (mut incoming, read, warnings) = read(line);
        assert_eq!((read, warnings.len()), (Ok(()), 1), "{line}");
        assert_eq!(incoming.take_response(), None, "another request waits");
    }
}

#[test]
fn an_answer_without_jsonrpc_counts_if_none_comes_that_has_it() {
    let bare = r#"{"id":1,"result":"bare"}"#;
    let result =
        |incoming: &mut ServerMessages| incoming.take_response().map(|response| response.result);
    let (mut incoming, ..) = read(bare);
    assert_eq!(incoming.rest(), Some(Rest::AfterEnd(AFTER_BARE)));
    assert_eq!(result(&mut incoming), Some(Ok("bare".into())));
    let (mut incoming, _, mut warnings) = read(bare);
    let mut sink = WarningSink::default();
    let whole = br#"{"jsonrpc":"2.0","id":1,"result":"whole"}"#;
    assert!(incoming.event(At(6), whole, &mut sink).is_ok());
    warnings.append(&mut sink.0);
    assert_eq!(result(&mut incoming), Some(Ok("whole".into())));
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    for line in [
        r#"{"id":2,"result":"other"}"#,
        r#"{"id":1}"#,
        r#"{"id":1,"method":"a","result":1}"#,
    ] {
        let (incoming, ..) = read(line);
        assert_eq!(incoming.rest(), None, "{line} is a log line");
    }
}

#[test]
fn a_second_answer_is_a_warning() {
    let first = r#"{"jsonrpc":"2.0","id":1,"result":1}"#;
    for (again, words) in [
        (first, "again: the first"),
        (
            r#"{"jsonrpc":"2.0","id":1,"result":2}"#,
            "again, with another answer: the first",
        ),
    ] {
        let (mut incoming, ..) = read(first);
        assert!(incoming.take_response().is_some());
        let mut sink = WarningSink::default();
        assert!(incoming.event(At(6), again.as_bytes(), &mut sink).is_ok());
        assert!(
            sink.0.len() == 1 && sink.0[0].contains(words),
            "{:?}",
            sink.0
        );
        assert_eq!(incoming.take_response(), None);
    }
}

#[test]
fn a_broken_message_is_an_error() {
    for (line, why) in [
        (
            r#"{"jsonrpc":"2.0","id":1}"#,
            "is a response without a `result` or an `error`",
        ),
        (
            r#"{"jsonrpc":"2.0"}"#,
            "is neither a request nor a response",
        ),
        (
            r#"{"jsonrpc":"2.0","method":1}"#,
            "has a `method` that is not a text",
        ),
        (
            &"x".repeat(201),
            "makes what the server said in this turn larger than 200 bytes",
        ),
    ] {
        assert_eq!(read(line).1, Err(why.to_owned()), "{line}");
    }
}
