//! The tables of the keys that a mapping reads, each with the test that is generated from it.
//!
//! **Invariant:** every key of `response` leads to a row.

use serde_json::{Value, json};

use super::calls::KnownCalls;
use super::framing::BodyFraming;
use super::key_table::{
    ANY, CALL, ID, JsonKind, KeyReading, RESULT, ReadingSink, TEXT, WORD, key_problems, row,
};
use super::mapped_reader::{MappedReader, ReplyEnd};
use super::mapping::{
    CallMapping, CompiledPick, InterruptMapping, ResponseMapping, ResultMapping, TextMapping,
    UsageMapping,
};
use super::modes::{CallMode, StreamForm};
use super::path::EventPath;
use ananke_agents::EventReader as _;
use ananke_base::context::{At, SequentialIds};
use ananke_trace::trace::Fact;

/// An object, or a text that holds one.
const OPENED: &[JsonKind] = &[JsonKind::Object, JsonKind::Text];

const NAME: &[Fact] = &[Fact::Calls];

fn pick(path: &str) -> CompiledPick {
    CompiledPick {
        paths: vec![EventPath::parse(path).unwrap()],
        pattern: None,
    }
}

/// A mapping that reads everything that can be read.
pub(crate) fn mapping(mode: CallMode) -> ResponseMapping {
    let some = |path: &str| Some(pick(path));
    ResponseMapping {
        form: StreamForm::Json,
        // Without its text a response is an error, and one whose text is null is none.
        text: TextMapping {
            pick: pick("reply"),
            mode: None,
            is_optional: true,
        },
        calls: Some(CallMapping {
            at: pick("calls[*]"),
            name: pick("tool"),
            id: some("id"),
            index: some("index"),
            args: some("input"),
            result: some("output"),
            error: some("failed"),
            mode,
        }),
        results: Some(ResultMapping {
            at: pick("results[*]"),
            id: some("of"),
            name: some("tool"),
            result: some("output"),
            error: some("failed"),
        }),
        error: some("error"),
        done: some("done"),
        interrupts: Some(InterruptMapping {
            at: pick("questions[*]"),
            id: some("id"),
            call: some("of"),
            message: some("words"),
        }),
        usage: Some(UsageMapping {
            input: some("tokens.input"),
            cached: some("tokens.cached"),
            output: some("tokens.output"),
            total: some("tokens.total"),
            model: some("tokens.model"),
            adds: false,
        }),
        reasoning: some("thought"),
        state: some("cart"),
        is_strict: false,
    }
}

/// The facts and the error that the reader finds in a response.
pub(crate) fn reading(mapping: &ResponseMapping, document: &Value) -> KeyReading {
    let ids = SequentialIds::default();
    let mut known = KnownCalls::default();
    let mut reader = MappedReader::new(mapping, &mut known, &ids);
    let (_, form) = BodyFraming::new(StreamForm::Json, 0);
    reader.begin_response(form);
    let mut sink = ReadingSink::default();
    if let Err(error) = reader.event(At(0), document.to_string().as_bytes(), &mut sink) {
        // The reader of a real response stops at such an error, too.
        sink.0.error = Some(error);
        return sink.0;
    }
    let error = match reader.finish(&mut sink) {
        Err(error) => Some(error.message),
        Ok(ReplyEnd::Complete(_) | ReplyEnd::Ended | ReplyEnd::Stopped) => None,
    };
    KeyReading { error, ..sink.0 }
}

/// A row has a key, the kinds of values that are read, and the facts that must be unread if its value is of another kind.
#[test]
fn every_key_of_a_mapping_is_read_unread_or_an_error() {
    let sample = json!({
        "reply": "a", "thought": "b", "done": true, "cart": { "sum": 1 },
        "tokens": { "input": 1, "output": 1, "total": 2 },
        "calls": [{ "id": "c", "index": 0, "tool": "pay", "input": { "sum": 1 }, "output": "ok", "failed": false }],
    });
    let rows = [
        row("/reply", WORD, TEXT),
        // No rule is about reasoning, so that nothing is lost if it is not read.
        row("/thought", ANY, &[]),
        row("/done", ANY, &[]),
        row("/cart", ANY, &[]),
        // What is not a number is no number of tokens, and a rule about tokens has nothing to look at.
        row("/tokens", ANY, &[]),
        // What is not a list has no items: it is unread if it looks like a call.
        row("/calls", &[JsonKind::List], &[]),
        row("/calls/0", OPENED, CALL),
        row("/calls/0/id", ID, &[]),
        row("/calls/0/index", ANY, &[]),
        row("/calls/0/tool", &[JsonKind::Text, JsonKind::Number], NAME),
        row("/calls/0/input", ANY, CALL),
        row("/calls/0/output", ANY, RESULT),
        row("/calls/0/failed", ANY, &[]),
    ];
    for mode in [CallMode::Whole, CallMode::Delta] {
        let mapping = mapping(mode);
        let problems = key_problems(&sample, &rows, |document| reading(&mapping, document));
        assert_eq!(problems, [""; 0], "{mode:?}");
    }
}

/// A row has a key, the kinds of values that are read, and the facts that must be unread if its value is of another kind.
#[test]
fn every_key_of_a_result_is_read_unread_or_an_error() {
    let sample = json!({
        "reply": "a",
        "calls": [{ "id": "c", "tool": "pay" }],
        "results": [{ "of": "c", "tool": "pay", "output": "ok", "failed": false }],
    });
    let rows = [
        row("/reply", WORD, TEXT),
        row("/calls", &[JsonKind::List], &[]),
        row("/calls/0", OPENED, CALL),
        // Without its call a result is unread.
        row("/calls/0/id", ID, RESULT),
        row("/calls/0/tool", &[JsonKind::Text, JsonKind::Number], NAME),
        row("/results", &[JsonKind::List], &[]),
        row("/results/0", OPENED, &[]),
        row("/results/0/of", ID, RESULT),
        row("/results/0/tool", ANY, &[]),
        row("/results/0/output", ANY, RESULT),
        row("/results/0/failed", ANY, &[]),
    ];
    let mapping = mapping(CallMode::Whole);
    let problems = key_problems(&sample, &rows, |document| reading(&mapping, document));
    assert_eq!(problems, [""; 0]);
}

/// A row has a key, the kinds of values that are read, and the facts that must be unread if its value is of another kind.
#[test]
fn every_key_of_a_failure_and_of_a_question_is_read() {
    let sample = json!({
        "error": { "message": "no model" },
        "questions": [{ "id": "q", "of": "c", "words": "really?" }],
    });
    let rows = [
        row("/error", ANY, &[]),
        row("/questions", &[JsonKind::List], &[]),
        row("/questions/0", ANY, &[]),
    ];
    let mapping = mapping(CallMode::Whole);
    let problems = key_problems(&sample, &rows, |document| reading(&mapping, document));
    assert_eq!(problems, [""; 0]);
}
