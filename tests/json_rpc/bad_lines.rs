//! Lines that are wrong: each is answered, and the program goes on.

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Rpc, events, last, says};

#[test]
fn a_line_that_is_no_request_is_answered_with_its_code_and_the_program_goes_on() {
    let mut rpc = Rpc::start();
    let deep = [&b"{\"a\":"[..], &vec![b'['; 100_000]].concat();
    let lines: &[(&[u8], i64, Value)] = &[
        (b"{", -32700, json!(null)),
        (b"hello", -32700, json!(null)),
        (b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"\xff\"}", -32700, json!(null)),
        (b"\x00", -32700, json!(null)),
        (&deep, -32700, json!(null)),
        (b"[]", -32600, json!(null)),
        (b"[{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"session/open\"}]", -32600, json!(null)),
        (b"3", -32600, json!(null)),
        (b"{}", -32600, json!(null)),
        (b"{\"jsonrpc\": \"1.0\", \"id\": 8, \"method\": \"session/open\"}", -32600, json!(8)),
        (b"{\"jsonrpc\": \"2.0\", \"id\": null, \"method\": \"session/open\"}", -32600, json!(null)),
        (b"{\"jsonrpc\": \"2.0\", \"id\": \"a\", \"method\": 3}", -32600, json!("a")),
        (b"{\"jsonrpc\": \"2.0\", \"id\": 9, \"method\": \"session/open\", \"params\": []}", -32600, json!(9)),
        (b"{\"jsonrpc\": \"2.0\", \"id\": 9, \"method\": \"session/opn\"}", -32601, json!(9)),
        (b"{\"jsonrpc\": \"2.0\", \"id\": 9, \"method\": \"tool/call\"}", -32601, json!(9)),
        (b"{\"jsonrpc\": \"2.0\", \"id\": 9, \"method\": \"initialize\", \"params\": {\"client\": {\"name\": \"x\"}}}", -32600, json!(9)),
    ];
    for (line, code, id) in lines {
        rpc.write(line);
        let answer = rpc.next();
        let shown = String::from_utf8_lossy(&line[..line.len().min(100)]).into_owned();
        assert_eq!(
            (&answer["error"]["code"], &answer["id"]),
            (&json!(code), id),
            "{shown}: {answer}"
        );
    }
    // What nothing answers is not answered.
    for line in [
        &b""[..],
        b"  \r",
        b"{\"jsonrpc\": \"2.0\", \"method\": \"session/open\"}",
        b"{\"jsonrpc\": \"2.0\", \"method\": \"unknown\", \"params\": 3}",
        b"{\"jsonrpc\": \"2.0\", \"id\": 77, \"result\": {}}",
        b"{\"jsonrpc\": \"2.0\", \"id\": \"x\", \"error\": {\"code\": 1, \"message\": \"no\"}}",
    ] {
        rpc.write(line);
    }
    let session = rpc.open(&[]);
    let run = rpc.run(&session, "Hi", &|_, _| says("Hello")).unwrap();
    assert_eq!(events(&run), ["assistant: Hello"]);
    assert_eq!(rpc.end().code(), Some(0));
}

#[test]
fn an_unknown_method_is_answered_with_the_one_that_was_meant() {
    let mut rpc = Rpc::start();
    let (code, message) = rpc.error("session/chek", json!({}));
    assert_eq!(
        (code, &*message),
        (
            -32601,
            "there is no method `session/chek`; did you mean `session/check`?"
        )
    );
    let (_, message) = rpc.error("frobnicate\u{1b}[31m", json!({}));
    assert!(
        message.contains("the methods are initialize, session/open") && !message.contains('\u{1b}'),
        "{message}"
    );
}

#[test]
fn nothing_comes_before_initialize() {
    let folder = TempDir::new().unwrap();
    let mut rpc = Rpc::raw(folder.path());
    let (code, message) = rpc.error("session/open", json!({ "agent": "caller" }));
    assert_eq!(
        (code, &*message),
        (
            -32002,
            "`session/open` came before `initialize`: send that first"
        )
    );
    let (code, message) = rpc.error("initialize", json!({ "client": "me" }));
    assert_eq!(code, -32602);
    assert!(
        message.starts_with("`initialize`: `client`: invalid type: string"),
        "{message}"
    );
    let result = rpc
        .call(
            "initialize",
            json!({ "client": { "name": "test", "version": "1" } }),
        )
        .unwrap();
    assert_eq!(result["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn every_method_names_the_key_that_is_missing_or_unknown() {
    let folder = TempDir::new().unwrap();
    let mut rpc = Rpc::raw(folder.path());
    let client = json!({ "client": { "name": "test" } });
    let methods = rpc.call("initialize", client).unwrap()["methods"].clone();
    for method in methods.as_array().unwrap().iter().skip(1) {
        let method = method.as_str().unwrap();
        let (code, message) = rpc.error(method, json!({ "colour": 1 }));
        assert_eq!(code, -32602, "{method}");
        let start = format!("`{method}`: unknown key `colour`; ");
        assert!(
            message.starts_with(&start)
                && (message.contains("the keys are `") || message.ends_with("it takes none")),
            "{method}: {message}"
        );
    }
    for (method, params, expected) in [
        (
            "session/run",
            json!({ "session": "s1" }),
            "`session/run`: the key `input` is missing",
        ),
        (
            "session/check",
            json!({ "ran": "r1" }),
            "`session/check`: unknown key `ran`; did you mean `run`?",
        ),
        (
            "tests/run",
            json!({ "parallel": "2" }),
            "`tests/run`: `parallel`: invalid type: string \"2\", expected usize",
        ),
        (
            "tests/run",
            json!({ "ids": [1], "parallel": 2 }),
            "`tests/run`: `ids`: invalid type: integer `1`, expected a string",
        ),
        (
            "session/run",
            json!({ "session": 1, "input": "x" }),
            "`session/run`: `session`: invalid type: number, expected a string",
        ),
        (
            "session/run",
            json!({ "session": "s1", "input": "x" }),
            "`session`: there is no session `s1`, or it was closed; `session/open` makes one",
        ),
        (
            "session/open",
            json!({ "target": 3 }),
            "`session/open`: `target`: expected the name of a target or an object with its keys",
        ),
        (
            "session/open",
            json!({ "target": {} }),
            "a target in place needs its `type` (a text), as in a config",
        ),
        (
            "session/open",
            json!({ "target": {}, "agent": "caller" }),
            "a session has a `target` or the `agent` of the client, not both",
        ),
        (
            "session/open",
            json!({ "agent": "me" }),
            "`session/open`: `agent`: unknown variant `me`, expected `caller` or `external`",
        ),
        (
            "session/open",
            json!({ "agent": "caller", "callback_timeout_ms": 0 }),
            "`callback_timeout_ms` must be at least 1",
        ),
        (
            "session/open",
            json!({ "agent": "caller", "tools": [{ "name": "a" }, { "name": "a" }] }),
            "there are two tools with the name `a`",
        ),
    ] {
        let (code, message) = rpc.error(method, params.clone());
        assert_eq!((code, &*message), (-32602, expected), "{params}");
    }
}

#[test]
fn a_mistake_in_a_target_has_its_place_and_what_to_do() {
    let mut rpc = Rpc::start();
    let (code, message) = rpc.error("session/open", json!({}));
    assert_eq!(code, -32602);
    assert!(
        message.contains("no `ananke.config.yaml` in `.`") && message.contains("help: "),
        "{message}"
    );
    let target = json!({ "type": "agui", "endpont": "http://127.0.0.1:1/" });
    let (code, message) = rpc.error("session/open", json!({ "target": target }));
    assert_eq!(code, -32602);
    assert!(
        message.contains("target:1:") && message.contains("did you mean `endpoint`?"),
        "{message}"
    );
    assert!(!message.contains("session-of"), "{message}");
    let tools = json!([{ "name": "bad name" }]);
    let (code, message) = rpc.error("session/open", json!({ "agent": "caller", "tools": tools }));
    assert_eq!(code, -32602);
    assert!(
        message.contains("bad name") && !message.contains("session-of"),
        "{message}"
    );
}

#[test]
fn a_line_that_is_too_long_is_passed_over_and_a_long_one_is_read() {
    let mut rpc = Rpc::start();
    let session = rpc.open(&[]);
    let too_long = vec![b'x'; 100 << 20];
    rpc.write(&too_long);
    let answer = rpc.next();
    assert_eq!(answer["error"]["code"], -32600);
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("longer than 64 MiB"), "{message}");
    let long = "y".repeat(8 << 20);
    let run = rpc.run(&session, &long, &|_, params| {
        says(&last(params).len().to_string())
    });
    assert_eq!(
        events(&run.unwrap()),
        [format!("assistant: {}", long.len())]
    );
}

#[test]
fn requests_that_are_too_many_are_refused_and_the_others_are_answered() {
    let mut rpc = Rpc::start();
    let session = rpc.open(&[]);
    for _ in 0..4100 {
        rpc.request("session/run", json!({ "session": session, "input": "Hi" }));
    }
    let (mut refused, mut asked) = (0, 0);
    while refused < 4 {
        let line = rpc.next();
        match line["error"]["code"].as_i64() {
            Some(code) => {
                assert_eq!(code, -32004, "{line}");
                refused += 1;
            }
            None => asked += 1,
        }
    }
    assert_eq!(asked, 1, "only the first run has begun");
    assert_eq!(rpc.end().code(), Some(0));
}
