//! What is encoded is decoded as the same changes, without a warning or a violation.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ananke::agents::{ServedProtocol, Sink, Stop, TimedChange, Wire, served_protocols};
use ananke::context::At;
use ananke::trace::{Change, Interrupt, MessageKind, ResultContent, RunEnd, Usage};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::agui::{session, settings};
use crate::support::canned::{Canned, limits, user};

/// Collects changes.
#[derive(Default)]
struct Collector(Vec<Change<'static>>);

impl Sink for Collector {
    fn wire(&mut self, _at: At, _wire: Wire<'_>) {}

    fn change(&mut self, _at: At, change: Change<'_>) -> ControlFlow<Stop> {
        self.0.push(change.into_owned());
        ControlFlow::Continue(())
    }
}

fn protocol(name: &str) -> &'static dyn ServedProtocol {
    served_protocols()
        .find(|protocol| protocol.name() == name)
        .expect("it is served")
}

/// The changes that are read from the response which says `changes`.
fn decoded(changes: &[Change<'static>]) -> Vec<Change<'static>> {
    let body = json!({
        "threadId": "t-1", "runId": "r-1", "protocolVersion": "1.0",
        "messages": [{ "id": "u1", "role": "user", "content": "hi" }],
    });
    let request = protocol("AG-UI")
        .read(body.to_string().as_bytes())
        .expect("a request");
    let timed = |change: &Change<'static>| TimedChange {
        after: Duration::ZERO,
        change: change.clone(),
    };
    let response = request.response(&[changes.iter().map(timed).collect()]);
    let body: Vec<u8> = response
        .frames
        .iter()
        .flat_map(|frame| frame.bytes.to_vec())
        .collect();
    let transport = Arc::new(Canned {
        bodies: Mutex::new(vec![body]),
        chunk: 4096,
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut collector = Collector::default();
        let mut session = session(settings("http://127.0.0.1:1/"), transport, 1).await;
        let ended = session
            .exchange(user(1, "hi"), &limits(), &mut collector)
            .await;
        assert!(ended.is_ok(), "{ended:?}");
        collector.0
    })
}

fn started() -> Change<'static> {
    Change::RunStarted {
        run_id: Some("r-1".into()),
        thread_id: Some("t-1".into()),
        is_replay: false,
    }
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z0-9 .,!?äöü€😀\\\\\"\n\r\t]{0,20}",
        Just("data: x\n\n".to_owned()),
        Just("[DONE]".to_owned())
    ]
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any_text().prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{1,6}", inner, 0..4)
                .prop_map(|keys| Value::Object(keys.into_iter().collect())),
        ]
    })
}

/// Something an agent does; `number` makes its ids its own.
#[derive(Clone, Debug)]
enum Doing {
    Says(Vec<String>),
    Thinks(Vec<String>),
    Calls {
        args: Option<Value>,
        result: Option<Value>,
        failure: Option<bool>,
        subagent: bool,
    },
    Custom(String, Value),
    State(Value),
    Patch(Value),
}

fn doing() -> impl Strategy<Value = Doing> {
    let object = || prop::collection::btree_map("[a-z]{1,6}", any_value(), 0..4);
    let object = move || object().prop_map(|keys| Value::Object(keys.into_iter().collect()));
    prop_oneof![
        prop::collection::vec(any_text(), 0..3).prop_map(Doing::Says),
        prop::collection::vec(any_text(), 1..3).prop_map(Doing::Thinks),
        (
            prop::option::of(object()),
            prop::option::of(any_value()),
            prop::option::of(any::<bool>()),
            any::<bool>()
        )
            .prop_map(|(args, result, failure, subagent)| Doing::Calls {
                args,
                result,
                failure,
                subagent
            }),
        ("[a-z_]{1,8}", any_value()).prop_map(|(name, value)| Doing::Custom(name, value)),
        object().prop_map(Doing::State),
        any_value().prop_map(Doing::Patch),
    ]
}

fn changes_of(doing: Doing, number: usize) -> Vec<Change<'static>> {
    match doing {
        Doing::Says(texts) => {
            let id = format!("message-{number}");
            let role = MessageKind::Assistant;
            let mut changes = vec![Change::MessageOpened {
                id: id.clone().into(),
                role,
                subagent: None,
            }];
            let text = |delta: String| Change::MessageText {
                id: id.clone().into(),
                delta: delta.into(),
            };
            changes.extend(texts.into_iter().map(text));
            changes.push(Change::MessageClosed {
                id: id.clone().into(),
            });
            changes
        }
        Doing::Thinks(texts) => {
            let thought = |delta: String| Change::Reasoning {
                id: format!("thoughts-{number}").into(),
                delta: delta.into(),
                subagent: None,
            };
            // An agent that thinks nothing does nothing.
            texts
                .into_iter()
                .filter(|text| !text.is_empty())
                .map(thought)
                .collect()
        }
        Doing::Calls {
            args,
            result,
            failure,
            subagent,
        } => {
            let id = format!("call-{number}");
            let subagent = subagent.then(|| "scout".into());
            let mut changes = vec![Change::CallOpened {
                id: id.clone().into(),
                name: "pay".into(),
                subagent,
            }];
            changes.extend(args.map(|args| Change::CallArgs {
                id: id.clone().into(),
                delta: args.to_string().into(),
            }));
            changes.push(Change::CallArgsDone {
                id: id.clone().into(),
            });
            if let Some(result) = result {
                let result = ResultContent::Json(result);
                changes.push(Change::CallAnswered {
                    id: id.clone().into(),
                    result,
                    is_error: None,
                });
                changes.extend(failure.map(|is_denied| Change::CallFailed {
                    id: id.into(),
                    is_denied,
                }));
            }
            changes
        }
        Doing::Custom(name, value) => vec![Change::Custom {
            name: name.into(),
            value,
        }],
        Doing::State(state) => vec![Change::StateReplaced(state)],
        Doing::Patch(value) => {
            let patch = json!([{ "op": "add", "path": "/new", "value": value }]);
            vec![
                Change::StateReplaced(json!({})),
                Change::StatePatched(patch),
            ]
        }
    }
}

fn end() -> impl Strategy<Value = RunEnd> {
    let text = || prop::option::of("[a-z ]{1,10}");
    prop_oneof![
        Just(RunEnd::Finished),
        Just(RunEnd::Cancelled),
        ("[a-z ]{0,10}", text()).prop_map(|(message, code)| RunEnd::Error { message, code }),
        ("[a-z]{1,5}", text(), "[a-z ]{1,10}").prop_map(|(id, message, reason)| {
            RunEnd::Interrupted(vec![Interrupt {
                id,
                message,
                reason: Some(reason),
                call: None,
            }])
        }),
    ]
}

/// The id of a message on the wire, where no message of a client has it.
fn sent(id: &str) -> String {
    format!("t-1:{id}")
}

/// The change as it is on the wire.
fn as_sent(change: Change<'static>) -> Change<'static> {
    match change {
        Change::MessageOpened { id, role, subagent } => Change::MessageOpened {
            id: sent(&id).into(),
            role,
            subagent,
        },
        Change::MessageText { id, delta } => Change::MessageText {
            id: sent(&id).into(),
            delta,
        },
        Change::MessageClosed { id } => Change::MessageClosed {
            id: sent(&id).into(),
        },
        Change::Reasoning {
            id,
            delta,
            subagent,
        } => Change::Reasoning {
            id: sent(&id).into(),
            delta,
            subagent,
        },
        other => other,
    }
}

/// What a decoder cannot see: results are text on the wire.
fn as_decoded(change: Change<'static>) -> Change<'static> {
    match change {
        Change::CallAnswered {
            id,
            result,
            is_error,
        } => {
            let value = match result {
                ResultContent::Text(text) => {
                    serde_json::from_str(&text).unwrap_or_else(|_| json!(text))
                }
                ResultContent::Json(value) | ResultContent::Structured { value, .. } => value,
            };
            Change::CallAnswered {
                id,
                result: ResultContent::Json(value),
                is_error,
            }
        }
        other => other,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_an_agent_does_is_decoded_as_it_was(
        done in prop::collection::vec(doing(), 0..8),
        usage in prop::option::of((any::<u32>(), any::<u32>())),
        end in end(),
    ) {
        ananke::install();
        let mut changes = vec![started()];
        changes.extend(done.into_iter().enumerate().flat_map(|(number, doing)| changes_of(doing, number)));
        changes.extend(usage.map(|(input, output)| {
            Change::Usage {
                usage: Usage::reported(Some(input.into()), Some(output.into()), None),
                model: None,
            }
        }));
        changes.push(Change::RunEnded(end));
        let expected: Vec<_> = changes.iter().cloned().map(as_sent).map(as_decoded).collect();
        let found: Vec<_> = decoded(&changes).into_iter().map(as_decoded).collect();
        prop_assert_eq!(found, expected);
    }
}
