//! A sink that writes down what it receives, one line each, and the result.

use std::fmt::Write as _;
use std::ops::ControlFlow;

use ananke::agents::{Sink, Stop, Wire};
use ananke::context::At;
use ananke::trace::{Change, ResultContent, RunEnd, SnapshotItem, Tokens, Usage};
use serde_json::Value;

/// What was received.
#[derive(Default)]
pub(crate) struct Summary {
    /// The wire: `sent`, `head …`, `frame`, `closed`.
    pub(crate) wire: Vec<String>,
    /// How many changes are accepted, if not all are.
    pub(crate) wanted: Option<usize>,
    told: usize,
    lines: Vec<Line>,
    state: Option<Value>,
}

enum Line {
    Message {
        id: String,
        role: String,
        text: String,
        open: bool,
    },
    Call {
        id: String,
        name: String,
        args: String,
        open: bool,
        results: Vec<String>,
    },
    Other(String),
}

impl Sink for Summary {
    fn wire(&mut self, _at: At, wire: Wire<'_>) {
        self.wire.push(match wire {
            Wire::Sent { .. } => "sent".to_owned(),
            Wire::Head {
                status,
                content_type,
            } => format!("head {status} {content_type}"),
            Wire::Frame(_) => "frame".to_owned(),
            Wire::Closed => "closed".to_owned(),
            Wire::Late { missing } => format!("late: {missing}"),
            Wire::Request { .. } | Wire::Headers(_) | Wire::Taken(_) | Wire::Alive => return,
        });
    }

    fn change(&mut self, _at: At, change: Change<'_>) -> ControlFlow<Stop> {
        self.told += 1;
        self.note(change);
        if self.wanted == Some(self.told) {
            ControlFlow::Break(Stop)
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl Summary {
    fn note(&mut self, change: Change<'_>) {
        match change {
            Change::Stamped(stamp) => self.other(format!("at {stamp}")),
            Change::RunStarted { .. } => self.other("run".to_owned()),
            Change::RunEnded(outcome) => self.other(match outcome {
                RunEnd::Finished => "finished".to_owned(),
                RunEnd::Error { message, code } => format!("error {code:?}: {message}"),
                RunEnd::Cancelled => "cancelled".to_owned(),
                RunEnd::Unknown(_) => "unknown end".to_owned(),
                RunEnd::Interrupted(interrupts) => {
                    let ids: Vec<String> = interrupts
                        .into_iter()
                        .map(|interrupt| interrupt.id)
                        .collect();
                    format!("interrupted {ids:?}")
                }
            }),
            Change::MessageOpened { id, role, subagent } => {
                let by = subagent
                    .map(|name| format!("<{name}> "))
                    .unwrap_or_default();
                let role = by + &format!("{role:?}").to_lowercase();
                self.lines.push(Line::Message {
                    id: id.into_owned(),
                    role,
                    text: String::new(),
                    open: true,
                });
            }
            Change::MessageText { id, delta } => match self.message(&id) {
                Some((text, _)) => text.push_str(&delta),
                None => self.other(format!("LOST text for {id}")),
            },
            Change::MessageClosed { id } => match self.message(&id) {
                Some((_, open)) => *open = false,
                None => self.other(format!("LOST end of {id}")),
            },
            Change::MessageRetracted { id } => match self.message(&id) {
                Some((text, _)) => text.insert_str(0, "(taken back) "),
                None => self.other(format!("LOST taken back {id}")),
            },
            Change::CallOpened { id, name, subagent } => self.lines.push(Line::Call {
                id: id.into_owned(),
                name: subagent
                    .map(|name| format!("<{name}> "))
                    .unwrap_or_default()
                    + &name,
                args: String::new(),
                open: true,
                results: Vec::new(),
            }),
            Change::CallArgs { id, delta } => match self.call(&id) {
                Some((args, _, _)) => args.push_str(&delta),
                None => self.other(format!("LOST args for {id}")),
            },
            Change::CallArgsDone { id } => match self.call(&id) {
                Some((_, open, _)) => *open = false,
                None => self.other(format!("LOST end of {id}")),
            },
            Change::CallAnswered {
                id,
                result,
                is_error,
            } => {
                let mut line = content(&result);
                if is_error == Some(true) {
                    line.push_str(" (error)");
                }
                match self.call(&id) {
                    Some((_, _, results)) => results.push(line),
                    None => self.other(format!("answer to {id}: {line}")),
                }
            }
            Change::ResultArrived { .. } | Change::ResultFollows { .. } => {}
            Change::ModelCalled(call) => self.other(format!("asked the model {}", call.name)),
            Change::ModelAskedAgain(again) => {
                self.other(format!("asked the model {} again", again.name));
            }
            Change::CallExecuted { id } => match self.call(&id) {
                Some((_, _, results)) => results.push("executed, not shown".to_owned()),
                None => self.other(format!("LOST execution of {id}")),
            },
            Change::CallFailed { id, is_denied } => {
                let word = if is_denied { " (denied)" } else { " (error)" };
                let earlier = format!("answer to {id}:");
                match self.call(&id) {
                    Some((_, _, results)) => {
                        results
                            .last_mut()
                            .expect("a call that failed was answered")
                            .push_str(word);
                    }
                    None => self.append_to(&earlier, word),
                }
            }
            Change::Reasoning {
                id,
                delta,
                subagent,
            } => {
                if let Some(text) = self.thoughts(&id) {
                    text.push_str(&delta);
                } else {
                    let by = subagent
                        .map(|name| format!("<{name}> "))
                        .unwrap_or_default();
                    let (id, text) = (id.into_owned(), delta.into_owned());
                    self.lines.push(Line::Message {
                        id,
                        role: by + "thinks",
                        text,
                        open: false,
                    });
                }
            }
            Change::Custom { name, value } => self.other(format!("custom {name}: {value}")),
            Change::ToolsDeclared { tools, .. } => {
                self.other(format!("declares {} tools", tools.len()));
            }
            Change::Truncated => self.other("truncated".to_owned()),
            Change::Usage { usage, .. } => {
                let Usage {
                    input,
                    output,
                    total,
                    ..
                } = usage;
                let shown = |tokens: Tokens| {
                    tokens
                        .whole()
                        .map_or("?".to_owned(), |count| count.to_string())
                };
                self.other(format!(
                    "usage {} in, {} out, {}",
                    shown(input),
                    shown(output),
                    shown(total)
                ));
            }
            Change::StateReplaced(state) => self.state = Some(state),
            Change::StatePatched(patch) => {
                let patch: json_patch::Patch = serde_json::from_value(patch).expect("a patch");
                let mut state = self.state.take().unwrap_or_else(|| serde_json::json!({}));
                json_patch::patch(&mut state, &patch).expect("a patch that applies");
                self.state = Some(state);
            }
            Change::Snapshot(items) => {
                self.other("snapshot".to_owned());
                for item in items {
                    self.other(snapshot_line(&item));
                }
            }
            Change::Violation {
                rule,
                message,
                events,
            } => {
                self.other(format!("!! {rule} {events:?}: {message}"));
            }
            Change::Aside { text, source } => {
                self.other(format!("beside, in {}: {text}", source.words()));
            }
            Change::Unread(unread) => self.other(match unread.violates {
                None => unread.warning(),
                Some(broken) => {
                    format!(
                        "!! {} [{}]: {}",
                        broken.rule,
                        broken.event,
                        unread.warning()
                    )
                }
            }),
            Change::Warning(words) => self.other(format!("! {words}")),
        }
    }

    fn append_to(&mut self, start: &str, word: &str) {
        let line = self.lines.iter_mut().rev().find_map(|line| match line {
            Line::Other(line) if line.starts_with(start) => Some(line),
            _ => None,
        });
        line.expect("a call that failed was answered")
            .push_str(word);
    }

    fn other(&mut self, line: String) {
        self.lines.push(Line::Other(line));
    }

    fn message(&mut self, wanted: &str) -> Option<(&mut String, &mut bool)> {
        self.lines.iter_mut().rev().find_map(|line| match line {
            Line::Message {
                id,
                role,
                text,
                open,
            } if id == wanted && !role.ends_with("thinks") => Some((text, open)),
            _ => None,
        })
    }

    fn thoughts(&mut self, wanted: &str) -> Option<&mut String> {
        self.lines.iter_mut().rev().find_map(|line| match line {
            Line::Message { id, text, role, .. } if id == wanted && role.ends_with("thinks") => {
                Some(text)
            }
            _ => None,
        })
    }

    fn call(&mut self, wanted: &str) -> Option<(&mut String, &mut bool, &mut Vec<String>)> {
        self.lines.iter_mut().rev().find_map(|line| match line {
            Line::Call {
                id,
                args,
                open,
                results,
                ..
            } if id == wanted => Some((args, open, results)),
            _ => None,
        })
    }

    /// How many changes there were.
    pub(crate) fn count(&self) -> usize {
        self.told
    }

    /// Everything in the order it began, the state last.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for line in &self.lines {
            match line {
                Line::Message {
                    role,
                    text: said,
                    open,
                    ..
                } => {
                    let open = if *open { " (open)" } else { "" };
                    writeln!(text, "{role}: {said}{open}").expect("a string takes everything");
                }
                Line::Call {
                    id,
                    name,
                    args,
                    open,
                    results,
                } => {
                    let open = if *open { " (open)" } else { "" };
                    writeln!(text, "call {id}: {name}({args}){open}")
                        .expect("a string takes everything");
                    for result in results {
                        writeln!(text, "  = {result}").expect("a string takes everything");
                    }
                }
                Line::Other(line) => writeln!(text, "{line}").expect("a string takes everything"),
            }
        }
        if let Some(state) = &self.state {
            writeln!(text, "state {state}").expect("a string takes everything");
        }
        // A message of the agent's without text leaves a space at its line's end, which no editor would keep.
        text.lines()
            .map(str::trim_end)
            .collect::<Vec<_>>()
            .join("\n")
    }
}

fn content(result: &ResultContent<'_>) -> String {
    match result {
        ResultContent::Text(text) => format!("text {text}"),
        ResultContent::Json(value) => format!("json {value}"),
        ResultContent::Structured { value, .. } => format!("structured {value}"),
    }
}

fn snapshot_line(item: &SnapshotItem) -> String {
    match item {
        SnapshotItem::Message {
            id,
            role,
            text,
            calls,
        } => {
            let mut line = format!("  {id} {}: {text}", format!("{role:?}").to_lowercase());
            for call in calls {
                write!(line, " [{} {}({})]", call.id, call.name, call.args)
                    .expect("a string takes everything");
            }
            line
        }
        SnapshotItem::Answer {
            call,
            tool: _,
            result,
            is_error,
        } => {
            format!(
                "  answer to {call}: {}{}",
                content(result),
                if *is_error == Some(true) {
                    " (error)"
                } else {
                    ""
                }
            )
        }
    }
}
