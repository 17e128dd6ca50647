//! The provider's side of an API of models in the tests of its crate: requests that clients sent, answers as the crate's own reader
//! reads them, and bodies of any shape.
//!
//! A crate includes this file: `#[path = "…/tests/support/model_answer.rs"] mod model_answer;`.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use ananke_agents::{ModelBody, ModelWire, Round, RoundPart, ServedResponse, Sink, Stop, Wire};
use ananke_base::context::At;
use ananke_trace::trace::{Change, FinishReason, RunEnd, Usage};
use serde_json::{Value, json};

/// What a client reads in an answer.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct ReadAnswer {
    pub(crate) text: String,
    pub(crate) reasoning: String,
    /// The id, the tool and the arguments of each call.
    pub(crate) calls: Vec<[String; 3]>,
    pub(crate) usage: Option<Usage>,
    pub(crate) is_truncated: bool,
    pub(crate) end: Option<RunEnd>,
    /// The warnings and the parts that are not understood.
    pub(crate) oddities: Vec<String>,
}

impl Sink for ReadAnswer {
    fn wire(&mut self, _: At, _: Wire<'_>) {}

    fn change(&mut self, _: At, change: Change<'_>) -> ControlFlow<Stop> {
        match change {
            Change::MessageText { delta, .. } => self.text.push_str(&delta),
            Change::Reasoning { delta, .. } => self.reasoning.push_str(&delta),
            Change::CallOpened { id, name, .. } => {
                let call = [id.into_owned(), name.into_owned(), String::new()];
                self.calls.push(call);
            }
            Change::CallArgs { id, delta } => {
                for [known, _, arguments] in &mut self.calls {
                    if *known == id {
                        arguments.push_str(&delta);
                    }
                }
            }
            Change::Usage { usage, .. } => self.usage = Some(usage),
            Change::Truncated => self.is_truncated = true,
            Change::RunEnded(end) => self.end = Some(end),
            Change::Unread(unread) => self.oddities.push(format!("{unread:?}")),
            Change::Warning(words) => self.oddities.push(words.into_owned()),
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// The bodies that a client sent to a path with this end, in their order.
pub(crate) fn captured(client: &str, path: &str) -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/captures/model");
    let file = folder.join(client).with_extension("jsonl");
    let mut bodies = Vec::new();
    for line in std::fs::read_to_string(file).unwrap().lines() {
        let request: Value = serde_json::from_str(line).unwrap();
        if request["path"].as_str().unwrap().ends_with(path) {
            bodies.push(request["body"].clone());
        }
    }
    assert!(!bodies.is_empty(), "{client}");
    bodies
}

/// The data of each event of a stream.
pub(crate) fn events_of(response: &ServedResponse) -> Vec<String> {
    assert!(response.is_event_stream(), "{response:?}");
    let body = String::from_utf8(response.body()).unwrap();
    let mut events = Vec::new();
    for line in body.lines() {
        if let Some(data) = line.strip_prefix("data: ") {
            events.push(data.to_owned());
        }
    }
    events
}

/// Answers with text, or with reasoning, text and two calls, for each reason of an end.
pub(crate) fn rounds() -> Vec<Round> {
    let mut rounds = Vec::new();
    for finish in [
        FinishReason::Complete,
        FinishReason::Length,
        FinishReason::Filter,
        FinishReason::Refusal,
    ] {
        let texts = ["I ca", "nnot."].map(|text| RoundPart::Text(text.to_owned()));
        rounds.push(round(finish, texts.into()));
    }
    for finish in [FinishReason::Complete, FinishReason::Length] {
        let parts = vec![
            RoundPart::Reasoning("Hm.".to_owned()),
            RoundPart::Text("Wait.".to_owned()),
            RoundPart::Call(0, "call_a1".to_owned(), "pay".to_owned()),
            RoundPart::Arguments(0, "{\"a\":".to_owned()),
            RoundPart::Arguments(0, "1}".to_owned()),
            RoundPart::Call(1, "call_a2".to_owned(), "list".to_owned()),
        ];
        rounds.push(round(finish, parts));
    }
    rounds
}

fn round(finish: FinishReason, parts: Vec<RoundPart>) -> Round {
    let mut round = Round {
        usage: Some(Usage::reported(Some(9), Some(3), None).with_cached(Some(4))),
        ended: Duration::from_millis(5),
        finish,
        ..Round::default()
    };
    for part in parts {
        round.calls += usize::from(matches!(&part, RoundPart::Call(..)));
        round.parts.push((Duration::from_millis(1), part));
    }
    round
}

/// Checks that no body makes the reader or the answer panic: those with a value of each kind under each key of `sample`.
pub(crate) fn read_any_shape(wire: &dyn ModelWire, sample: &Value) {
    let mut pointers = Vec::new();
    add_pointers(sample, "", &mut pointers);
    let values = [
        Value::Null,
        json!(true),
        json!(7),
        json!("hidden"),
        json!(["hidden", null, [], {}]),
        json!([{ "type": "hidden", "text": 7 }]),
        json!({ "type": "hidden", "content": [1] }),
    ];
    let mut accepted = 0;
    for pointer in &pointers {
        for value in &values {
            let mut body = sample.clone();
            *body.pointer_mut(pointer).unwrap() = value.clone();
            if let Ok(read) = wire.read(body.to_string().as_bytes()) {
                wire.answer(&read, "1", &Round::default());
                accepted += 1;
            }
        }
    }
    assert!(
        accepted > pointers.len(),
        "{accepted} of {}",
        pointers.len()
    );
    for body in ["", "[]", "null", "{}", "7", "{\"model\":1}"] {
        assert!(wire.read(body.as_bytes()).is_err(), "{body}");
    }
}

/// Checks that the answers of an API are read in the form of all APIs, streamed or not, and that half of one is none.
pub(crate) fn read_as_model_answer(wire: &dyn ModelWire) {
    for round in rounds() {
        for is_streamed in [true, false] {
            let response = wire.answer(&body(is_streamed), "7", &round);
            let mut half = response.clone();
            let answer = wire.read_answer(response).unwrap();
            let usage = Usage::reported(Some(9), Some(3), None).with_cached(Some(4));
            assert_eq!(answer.usage, Some(usage));
            assert_eq!(
                answer.finish == FinishReason::Length,
                round.finish == FinishReason::Length
            );
            if round.calls == 0 {
                assert_eq!(answer.text, "I cannot.");
                assert!(answer.calls.is_empty());
            } else {
                assert_eq!((&*answer.text, &*answer.reasoning), ("Wait.", "Hm."));
                let [first, second] = &answer.calls[..] else {
                    panic!("{answer:?}");
                };
                assert_eq!((&*first.id, &*first.tool), ("call_a1", "pay"));
                assert_eq!(first.args, json!({ "a": 1 }));
                assert_eq!((&*second.id, &second.args), ("call_a2", &json!({})));
            }
            let bytes = half.body();
            half.frames.truncate(1);
            half.frames[0].bytes = bytes[..bytes.len() / 2].to_vec().into();
            wire.read_answer(half).unwrap_err();
        }
    }
    for (status, content_type, body) in [
        (200, "application/json", "{}"),
        (200, "text/event-stream", ""),
        (200, "text/html", "<p>"),
        (429, "application/json", "{\"error\":{}}"),
    ] {
        let frame = ananke_agents::ServedFrame {
            after: Duration::ZERO,
            bytes: body.into(),
        };
        let response = ServedResponse::new(status, content_type, vec![frame]);
        wire.read_answer(response).unwrap_err();
    }
}

fn add_pointers(value: &Value, at: &str, pointers: &mut Vec<String>) {
    match value {
        Value::Object(keys) => {
            for (key, value) in keys {
                pointers.push(format!("{at}/{key}"));
                add_pointers(value, &format!("{at}/{key}"), pointers);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                pointers.push(format!("{at}/{index}"));
                add_pointers(item, &format!("{at}/{index}"), pointers);
            }
        }
        _ => {}
    }
}

/// A body that asks for a stream, or for one document.
pub(crate) fn body(is_streamed: bool) -> ModelBody {
    ModelBody {
        request: ananke_trace::trace::ModelRequest::default(),
        is_streamed,
        reports_usage: true,
        previous: None,
    }
}
