//! The same behaviour as a scripted agent and as an AG-UI agent.
//!
//! Steps: `a` a call of tool `a` with the result `ok`; `a=X` with the result X; `a?` without a result; `a(K:V)` with an
//! argument; `a=X*` with a result that failed, `a=X~` that was denied, `s:a` by the subagent `s`; `a#1?` with an id and no result, `>1` or `>1=X` its late result; `'text'` a message (`_` is a blank);
//! `+N` N milliseconds pass; `!` the run ends with an error; `^` it is interrupted; `@k:v` the state's key `k` is `v`;
//! `%x` a thought; `$10/5` 10 tokens read and 5 written (`$10/` does not tell how many were written).

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ananke::agents::scripted::{
    CompiledCall, CompiledRule, CompiledStep, Condition, ScriptedTarget,
};
use ananke::agents::{
    Chunks, ClientEvent, HttpRequest, Next, Reply, ResponseHead, Target, TargetError, Transport,
};
use ananke::agui::{AguiSettings, AguiTarget, AguiTransport, ConversationSettings};
use ananke::context::{At, Clock, ManualClock};
use ananke::outcome::CallFailure;
use ananke::trace::{Interrupt, ModelUsage, Usage};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokio::sync::mpsc;

/// Which of the two kinds of agent runs a row.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Agent {
    Scripted,
    Agui,
}

/// The turns of a row.
pub(crate) fn turns(text: &str) -> Vec<Vec<CompiledStep>> {
    text.split('|')
        .map(|turn| turn.split_whitespace().map(step).collect())
        .collect()
}

fn step(word: &str) -> CompiledStep {
    if let Some(text) = word.strip_prefix('\'') {
        return CompiledStep::Say(text.trim_end_matches('\'').replace('_', " "));
    }
    if let Some(ms) = word.strip_prefix('+') {
        return CompiledStep::Delay(Duration::from_millis(ms.parse().unwrap()));
    }
    if let Some(text) = word.strip_prefix('%') {
        return CompiledStep::Think(text.to_owned());
    }
    if let Some((key, value)) = word.strip_prefix('@').and_then(|pair| pair.split_once(':')) {
        return CompiledStep::State(
            [(key.to_owned(), Value::String(value.to_owned()))]
                .into_iter()
                .collect(),
        );
    }
    if let Some((input, output)) = word.strip_prefix('$').and_then(|pair| pair.split_once('/')) {
        let usage = Usage::reported(input.parse().ok(), output.parse().ok(), None);
        return CompiledStep::Usage(usage.into());
    }
    if word == "^" {
        let interrupt = Interrupt {
            id: "i".to_owned(),
            ..Interrupt::default()
        };
        return CompiledStep::Interrupt {
            interrupt,
            cancelled: Vec::new(),
        };
    }
    if word == "!" {
        return CompiledStep::Error {
            message: "broken".to_owned(),
            code: None,
        };
    }
    let (left, result) = match (word.strip_suffix('?'), word.split_once('=')) {
        (Some(left), _) => (left, None),
        (None, Some((left, result))) => (left, Some(result)),
        (None, None) => (word, Some("ok")),
    };
    let ending =
        result.and_then(|text| Some((text.strip_suffix(['*', '~'])?, text.ends_with('~'))));
    let failure = ending.map(|(_, denied)| {
        if denied {
            CallFailure::Denied
        } else {
            CallFailure::Failed
        }
    });
    let result = ending
        .map(|(text, _)| text)
        .or(result)
        .map(|text| Value::String(text.to_owned()));
    if let Some(id) = left.strip_prefix('>') {
        return CompiledStep::Answer {
            id: id.to_owned(),
            result: result.unwrap(),
            failure,
        };
    }
    let (left, args) = match left.split_once('(') {
        Some((left, args)) => {
            let (key, value) = args.trim_end_matches(')').split_once(':').unwrap();
            (left, Some(json!({ key: value })))
        }
        None => (left, None),
    };
    let (subagent, left) = match left.split_once(':') {
        Some((subagent, left)) => (Some(subagent.to_owned()), left),
        None => (None, left),
    };
    let (tool, id) = match left.split_once('#') {
        Some((tool, id)) => (tool, Some(id.to_owned())),
        None => (left, None),
    };
    CompiledStep::Call(CompiledCall {
        tool: tool.to_owned(),
        id,
        args,
        result,
        delay: Duration::ZERO,
        failure,
        subagent,
    })
}

/// A target that follows the script, and the clock for its times.
pub(crate) fn target(
    agent: Agent,
    script: &[Vec<CompiledStep>],
) -> (Box<dyn Target>, Arc<dyn Clock>, Arc<dyn Transport>) {
    ananke::install();
    let clock = Arc::new(ManualClock::default());
    let turns = Mutex::new(script.iter().cloned().collect::<VecDeque<_>>());
    let transport = Arc::new(Played {
        turns,
        clock: Arc::clone(&clock),
    });
    match agent {
        Agent::Scripted => {
            let rules = script
                .iter()
                .enumerate()
                .map(|(index, steps)| CompiledRule {
                    when: Condition {
                        turn: Some(index as u64 + 1),
                        ..Condition::default()
                    },
                    steps: steps.clone(),
                });
            let target = ScriptedTarget::new("script".to_owned(), json!({}), rules.collect());
            (Box::new(target), clock, transport)
        }
        Agent::Agui => {
            let settings = AguiSettings {
                agent: "script".to_owned(),
                endpoint: "http://127.0.0.1/agent".parse().unwrap(),
                headers: Vec::new(),
                options: Arc::default(),
                transport: AguiTransport::Http,
                conversation: ConversationSettings {
                    state: json!({}),
                    ..ConversationSettings::default()
                },
            };
            (Box::new(AguiTarget::new(settings)), clock, transport)
        }
    }
}

/// Answers each request with the next turn's frames, stamped in virtual time.
struct Played {
    turns: Mutex<VecDeque<Vec<CompiledStep>>>,
    clock: Arc<ManualClock>,
}

impl Transport for Played {
    fn moment(&self, _event: ClientEvent) -> At {
        self.clock.now()
    }

    fn send(
        &self,
        _request: HttpRequest,
        _until: At,
    ) -> BoxFuture<'_, Result<Option<Reply>, TargetError>> {
        let steps = self.turns.lock().unwrap().pop_front().unwrap_or_default();
        let (sender, body) = mpsc::channel(10_000);
        let at = self.clock.now();
        let mut failed = false;
        let mut finished = json!({"type": "RUN_FINISHED", "threadId": "thread", "runId": "run"});
        let mut frame = |event: &Value| {
            let bytes = format!("data: {event}\n\n").into_bytes().into();
            sender
                .try_send(Next::Bytes(self.clock.now(), bytes))
                .unwrap();
        };
        frame(&json!({"type": "RUN_STARTED", "threadId": "thread", "runId": "run"}));
        for (index, step) in steps.into_iter().enumerate() {
            match step {
                CompiledStep::Delay(delay) => self.clock.advance(delay),
                CompiledStep::Error { message, .. } => {
                    failed = true;
                    frame(&json!({"type": "RUN_ERROR", "message": message}));
                }
                CompiledStep::Usage(ModelUsage { usage, .. }) => {
                    let (input, output) = (usage.input.whole(), usage.output.whole());
                    finished["usage"] = json!([{"inputTokens": input, "outputTokens": output}]);
                }
                CompiledStep::Interrupt { interrupt, .. } => {
                    finished["outcome"] =
                        json!({"type": "interrupt", "interrupts": [{"id": interrupt.id}]});
                }
                step => frames(index, self.clock.now().0, step)
                    .iter()
                    .for_each(&mut frame),
            }
        }
        if !failed {
            frame(&finished);
        }
        let head = ResponseHead {
            status: 200,
            content_type: "text/event-stream".to_owned(),
            ..ResponseHead::default()
        };
        let body = Box::new(Chunks::new(body, Arc::clone(&self.clock) as Arc<dyn Clock>));
        Box::pin(std::future::ready(Ok(Some(Reply { at, head, body }))))
    }
}

fn frames(index: usize, at: u64, step: CompiledStep) -> Vec<Value> {
    let own_id = format!("call-{at}-{index}");
    match step {
        CompiledStep::Say(text) => vec![
            json!({"type": "TEXT_MESSAGE_START", "messageId": own_id, "role": "assistant"}),
            json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": own_id, "delta": text}),
            json!({"type": "TEXT_MESSAGE_END", "messageId": own_id}),
        ],
        CompiledStep::Call(CompiledCall {
            tool,
            id,
            args,
            result,
            failure,
            subagent,
            ..
        }) => {
            let id = id.unwrap_or(own_id);
            let mut start =
                json!({"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": tool});
            if let Some(subagent) = subagent {
                start["subagentRunId"] = Value::String(subagent);
            }
            let mut frames = vec![start];
            if let Some(args) = args {
                frames.push(
                    json!({"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": args.to_string()}),
                );
            }
            frames.push(json!({"type": "TOOL_CALL_END", "toolCallId": id}));
            frames.extend(
                result
                    .into_iter()
                    .flat_map(|result| answers(&id, &result, failure)),
            );
            frames
        }
        CompiledStep::Answer {
            id,
            result,
            failure,
        } => answers(&id, &result, failure),
        CompiledStep::Think(text) => {
            vec![json!({"type": "REASONING_MESSAGE_CHUNK", "messageId": own_id, "delta": text})]
        }
        CompiledStep::State(keys) => {
            let patch = keys.iter().map(
                |(key, value)| json!({"op": "add", "path": format!("/{key}"), "value": value}),
            );
            vec![json!({"type": "STATE_DELTA", "delta": patch.collect::<Vec<_>>()})]
        }
        step => panic!("a row cannot hold {step:?}"),
    }
}

/// A result, and what the one server that has words for it says of one that failed.
fn answers(id: &str, result: &Value, failure: Option<CallFailure>) -> Vec<Value> {
    let word = failure.map(|failure| {
        if failure == CallFailure::Denied {
            "denied"
        } else {
            "failed"
        }
    });
    let said = word.map(|word| {
        let value = json!({"pydantic_ai": {"outcome": word}}).to_string();
        json!({"type": "REASONING_ENCRYPTED_VALUE", "subtype": "message", "entityId": format!("result-{id}"), "encryptedValue": value})
    });
    [answer(id, result)].into_iter().chain(said).collect()
}

fn answer(id: &str, result: &Value) -> Value {
    json!({"type": "TOOL_CALL_RESULT", "messageId": format!("result-{id}"), "toolCallId": id, "content": result})
}
