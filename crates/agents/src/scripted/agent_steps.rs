//! The steps of an agent that is written in YAML, made from what another agent did.
//!
//! Flows in: the changes of a conversation, turn by turn. Flows out: steps that make the same changes, and what there are no
//! steps for. Times within a message are after it.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Map, Value, json};

use ananke_trace::trace::{
    Change, Interrupt, MessageKind, ResultContent, RunEnd, State, Usage, is_same_json,
};

/// A part of what an agent does in a turn, for which the language has a key.
#[derive(Clone, Debug, PartialEq)]
pub enum AgentStep {
    /// Calls a tool.
    Calls {
        /// The name by which an answer or an interrupt is about this call.
        id: String,
        /// The name of the function that is called.
        tool: String,
        /// The subagent that calls it, if it is not the agent itself.
        subagent: Option<String>,
        /// The arguments, if there are any.
        args: Option<Value>,
    },
    /// Gives a result to a call.
    Answers {
        /// The call's id.
        id: String,
        /// The tool's answer, as JSON.
        result: Value,
        /// The failure, in the word of the step.
        failure: Option<&'static str>,
    },
    /// Ends the run until an answer comes.
    Interrupts(Interrupt),
    /// Lets so many milliseconds pass.
    Waits(u64),
    /// Anything else, as it is written.
    Does(Value),
}

impl AgentStep {
    /// The id of the call that it is about.
    pub fn call(&self) -> Option<&str> {
        match self {
            Self::Calls { id, .. } | Self::Answers { id, .. } => Some(id),
            Self::Interrupts(interrupt) => interrupt.call.as_deref(),
            Self::Waits(_) | Self::Does(_) => None,
        }
    }
}

/// Reads what an agent did, from the first turn to the last.
#[derive(Debug, Default)]
pub struct AgentStepReader {
    state: State,
    omitted: BTreeSet<&'static str>,
}

impl AgentStepReader {
    /// The things there were no steps for, in words.
    pub fn omitted(&self) -> impl Iterator<Item = &'static str> {
        self.omitted.iter().copied()
    }

    /// The steps of one turn. `changes` are what the agent did in it, each with the microseconds since the change before.
    pub fn turn<'c>(
        &mut self,
        changes: impl IntoIterator<Item = (u64, &'c Change<'static>)>,
    ) -> Vec<AgentStep> {
        let mut turn = TurnReader {
            reader: self,
            steps: Vec::new(),
            passed_us: 0,
            texts: HashMap::new(),
            args: HashMap::new(),
        };
        for (after_us, change) in changes {
            turn.passed_us += after_us;
            turn.read(change);
        }
        // Each step adds the wait before it. The time after the last step is added here.
        turn.wait();
        turn.finish()
    }
}

struct TurnReader<'r> {
    reader: &'r mut AgentStepReader,
    steps: Vec<AgentStep>,
    /// The time since the last step.
    passed_us: u64,
    /// The messages, by id: the step of each, and its text.
    texts: HashMap<String, (usize, &'static str, String)>,
    /// The texts of arguments, by the id of the call, and its step.
    args: HashMap<String, (usize, String)>,
}

impl TurnReader<'_> {
    /// Adds the steps with which a scripted agent makes the same change, or notes that there are none for it. A step is a key
    /// with a value, as in `say: Hello`. Texts and arguments come in several changes, and are collected by the id of their
    /// message or call until the end of the turn.
    #[expect(clippy::too_many_lines, reason = "an arm for each change")]
    fn read(&mut self, change: &Change<'static>) {
        match change {
            Change::MessageOpened {
                id,
                role: MessageKind::Assistant,
                subagent: None,
            } => self.text(id, "say", ""),
            Change::MessageOpened {
                role: MessageKind::Assistant,
                ..
            } => self.omit("messages of subagents"),
            // Text of a message without a step is ignored: nothing is collected for its id.
            Change::MessageText { id, delta } => self.add_text(id, delta),
            // What the agent took back is not said again, since no rule has seen it.
            Change::MessageRetracted { id } => {
                if let Some((_, _, text)) = self.texts.get_mut(&**id) {
                    text.clear();
                }
            }
            Change::Reasoning { id, delta, .. } => self.text(id, "think", delta),
            Change::CallOpened { id, name, subagent } => {
                self.open_call(id, name, subagent.as_deref());
            }
            Change::CallArgs { id, delta } => self.add_args(id, delta),
            Change::CallAnswered {
                id,
                result,
                is_error,
            } => {
                self.step(AgentStep::Answers {
                    id: id.clone().into_owned(),
                    result: result_of(result),
                    failure: (*is_error == Some(true)).then_some("failed"),
                });
            }
            Change::CallExecuted { .. } => self.omit("calls whose results are not shown"),
            // The failure of a call comes after its result, so it is added to the step that is there.
            Change::CallFailed { id, is_denied } => {
                if let Some(failure) = self.last_failure(id) {
                    *failure = Some(if *is_denied { "denied" } else { "failed" });
                }
            }
            Change::Custom { name, value } => {
                self.step(AgentStep::Does(
                    json!({ "custom": { "name": name, "value": value } }),
                ));
            }
            Change::Usage { usage, model } => self.usage(usage, model.as_deref()),
            Change::StateReplaced(state) => self.state(|known| {
                known.replace(state.clone());
                Ok(())
            }),
            Change::StatePatched(patch) => self.state(|known| known.patch(patch)),
            Change::RunEnded(end) => self.end(end),
            Change::Snapshot(_) => self.omit("snapshots of the messages"),
            Change::Truncated => self.omit("marks of incomplete answers"),
            // A scripted agent has no model of its own.
            Change::ModelCalled(_) | Change::ModelAskedAgain(_) => self.omit("calls to models"),
            // The other changes come from the protocol or from ananke itself, and a scripted agent makes them without a step.
            Change::Stamped(_)
            | Change::ToolsDeclared { .. }
            | Change::RunStarted { .. }
            | Change::MessageOpened { .. }
            | Change::MessageClosed { .. }
            | Change::CallArgsDone { .. }
            | Change::ResultArrived { .. }
            | Change::ResultFollows { .. }
            | Change::Violation { .. }
            | Change::Unread(_)
            | Change::Aside { .. }
            | Change::Warning(_) => {}
        }
    }

    fn omit(&mut self, what: &'static str) {
        self.reader.omitted.insert(what);
    }

    /// The time that passed is a step of its own.
    fn wait(&mut self) {
        let milliseconds = self.passed_us / 1000;
        self.passed_us %= 1000;
        if milliseconds > 0 {
            self.steps.push(AgentStep::Waits(milliseconds));
        }
    }

    /// Adds a step, and returns its position.
    fn step(&mut self, step: AgentStep) -> usize {
        self.wait();
        self.steps.push(step);
        self.steps.len() - 1
    }

    /// More of a text; the first of an id begins it.
    fn text(&mut self, id: &str, step: &'static str, delta: &str) {
        if !self.texts.contains_key(id) {
            let position = self.step(AgentStep::Does(Value::Null));
            self.texts
                .insert(id.to_owned(), (position, step, String::new()));
        }
        self.add_text(id, delta);
    }

    fn add_text(&mut self, id: &str, delta: &str) {
        if let Some((_, _, text)) = self.texts.get_mut(id) {
            text.push_str(delta);
        }
    }

    fn open_call(&mut self, id: &str, tool: &str, subagent: Option<&str>) {
        let position = self.step(AgentStep::Calls {
            id: id.to_owned(),
            tool: tool.to_owned(),
            subagent: subagent.map(str::to_owned),
            args: None,
        });
        self.args.insert(id.to_owned(), (position, String::new()));
    }

    fn add_args(&mut self, call: &str, delta: &str) {
        if let Some((_, text)) = self.args.get_mut(call) {
            text.push_str(delta);
        }
    }

    /// The failure in the last result of a call.
    fn last_failure(&mut self, call: &str) -> Option<&mut Option<&'static str>> {
        for step in self.steps.iter_mut().rev() {
            if let AgentStep::Answers { id, failure, .. } = step
                && id == call
            {
                return Some(failure);
            }
        }
        None
    }

    fn usage(&mut self, usage: &Usage, model: Option<&str>) {
        let counts = keys([
            ("model", model.map(Value::from)),
            ("input_tokens", usage.input.whole().map(Value::from)),
            ("cached_tokens", usage.cached.whole().map(Value::from)),
            ("output_tokens", usage.output.whole().map(Value::from)),
            ("total_tokens", usage.total.whole().map(Value::from)),
        ]);
        if !counts.is_empty() {
            self.step(AgentStep::Does(json!({ "usage": counts })));
        }
    }

    /// Makes `change` to the state that is known of the agent, and adds a step with the keys that have another value after it.
    fn state(&mut self, change: impl FnOnce(&mut State) -> Result<(), String>) {
        let before = self.reader.state.value().clone();
        // A patch that does not fit changes nothing, and was reported where it was read.
        if change(&mut self.reader.state).is_err() {
            return;
        }
        let Value::Object(now) = self.reader.state.value().clone() else {
            return self.omit("a state that is not an object");
        };

        // The step `state` can set keys and not remove any.
        if let Value::Object(before) = &before
            && before.keys().any(|key| !now.contains_key(key))
        {
            self.omit("keys that are removed from the state");
        }
        // Only the keys with another value are in the step, although a change may replace the whole state.
        let mut changed = Map::new();
        for (key, value) in now {
            let is_same = match before.get(&key) {
                Some(before) => is_same_json(before, &value),
                None => false,
            };
            if !is_same {
                changed.insert(key, value);
            }
        }
        if !changed.is_empty() {
            self.step(AgentStep::Does(json!({ "state": changed })));
        }
    }

    /// Adds the step that ends a run in this way, or notes that there is none.
    fn end(&mut self, end: &RunEnd) {
        match end {
            // A scripted run finishes after its last step.
            RunEnd::Finished => {}
            RunEnd::Error { message, code } => {
                let error = keys([
                    ("message", Some(json!(message))),
                    ("code", code.as_deref().map(Value::from)),
                ]);
                self.step(AgentStep::Does(json!({ "error": error })));
            }
            RunEnd::Interrupted(interrupts) => {
                // A scripted run ends at its first interrupt.
                if interrupts.len() > 1 {
                    self.omit("several interrupts at once");
                }
                if let Some(first) = interrupts.first() {
                    self.step(AgentStep::Interrupts(first.clone()));
                }
            }
            RunEnd::Cancelled => self.omit("runs that the agent cancels"),
            RunEnd::Unknown(_) => self.omit("runs that end in an unknown way"),
        }
    }

    /// The steps of the turn, with the texts and arguments that were collected for them.
    fn finish(mut self) -> Vec<AgentStep> {
        // Texts and arguments come in pieces, between which other steps may be. So each got a place among the steps at its first
        // piece, and the place is filled only now.
        for (position, key, text) in std::mem::take(&mut self.texts).into_values() {
            if let Some(placeholder) = self.steps.get_mut(position) {
                *placeholder = AgentStep::Does(json!({ key: text }));
            }
        }
        for (position, text) in std::mem::take(&mut self.args).into_values() {
            // Arguments are JSON, and the step for a call can only have an object. A call with none, or with another value, is
            // written without arguments.
            let parsed = match serde_json::from_str(&text) {
                Ok(Value::Object(parsed)) => parsed,
                Ok(_) | Err(_) if text.trim().is_empty() => Map::new(),
                Ok(_) | Err(_) => {
                    self.omit("arguments that are not an object");
                    Map::new()
                }
            };
            if let Some(AgentStep::Calls { args, .. }) = self.steps.get_mut(position)
                && !parsed.is_empty()
            {
                *args = Some(Value::Object(parsed));
            }
        }
        self.steps
    }
}

/// The keys of a mapping that have a value.
fn keys<const N: usize>(all: [(&str, Option<Value>); N]) -> Map<String, Value> {
    let mut keys = Map::new();
    for (key, value) in all {
        if let Some(value) = value {
            keys.insert(key.to_owned(), value);
        }
    }
    keys
}

/// A result as JSON: for a text the JSON in it, or the text.
fn result_of(content: &ResultContent) -> Value {
    match content {
        ResultContent::Json(value) | ResultContent::Structured { value, .. } => value.clone(),
        ResultContent::Text(text) => match serde_json::from_str(text) {
            // A string in quotes stays a text with quotes, since the agent's tool wrote them.
            Ok(Value::String(_)) | Err(_) => json!(text),
            Ok(value) => value,
        },
    }
}

/// The steps as a rule in YAML has them. A call contains its result, if nothing but a wait comes between them.
pub fn written_steps(steps: &[AgentStep]) -> Vec<Value> {
    let mut written = Vec::new();
    // A call that contains its result removes it from `rest`, so the loop is not over `steps` itself.
    let mut rest = steps;
    while let [step, following @ ..] = rest {
        rest = following;
        written.push(match step {
            AgentStep::Calls {
                id,
                tool,
                subagent,
                args,
            } => {
                let answer = answer_of(id, following);
                // An id is written only if a step outside of this entry is about the call: a later answer, or an interrupt. The
                // entry has one step for the call, and one for the answer in it.
                let steps_of_call = steps.iter().filter(|step| step.call() == Some(id)).count();
                let steps_in_entry = 1 + usize::from(answer.is_some());
                let needs_id = steps_of_call > steps_in_entry;
                let mut call = keys([
                    ("tool", Some(json!(tool))),
                    ("id", if needs_id { Some(json!(id)) } else { None }),
                    ("subagent", subagent.as_deref().map(Value::from)),
                    ("args", args.clone()),
                ]);
                if let Some(answer) = answer {
                    rest = answer.rest;
                    call.extend(answer.keys());
                }
                json!({ "call": call })
            }
            AgentStep::Answers {
                id,
                result,
                failure,
            } => {
                let answer = keys([
                    ("id", Some(json!(id))),
                    ("result", Some(result.clone())),
                    ("failure", failure.map(Value::from)),
                ]);
                json!({ "answer": answer })
            }
            AgentStep::Interrupts(interrupt) => json!({ "interrupt": interrupt_keys(interrupt) }),
            AgentStep::Waits(milliseconds) => json!({ "delay_ms": milliseconds }),
            AgentStep::Does(step) => step.clone(),
        });
    }
    written
}

fn interrupt_keys(interrupt: &Interrupt) -> Map<String, Value> {
    let id = match interrupt.id.as_str() {
        "" => None,
        id => Some(json!(id)),
    };
    keys([
        ("id", id),
        ("reason", interrupt.reason.as_deref().map(Value::from)),
        ("message", interrupt.message.as_deref().map(Value::from)),
        ("call", interrupt.call.as_deref().map(Value::from)),
    ])
}

/// A result right after its call.
struct FollowingAnswer<'s> {
    /// The milliseconds before it.
    delay: u64,
    result: &'s Value,
    failure: Option<&'static str>,
    rest: &'s [AgentStep],
}

impl FollowingAnswer<'_> {
    /// The keys of its call that say it.
    fn keys(self) -> Map<String, Value> {
        keys([
            ("result", Some(self.result.clone())),
            ("delay_ms", (self.delay > 0).then(|| json!(self.delay))),
            ("failure", self.failure.map(Value::from)),
        ])
    }
}

/// The result of the call `id`, if `following`, the steps after the call, begin with it or with a wait and it.
fn answer_of<'s>(id: &str, following: &'s [AgentStep]) -> Option<FollowingAnswer<'s>> {
    // The time between a call and its result is the tool's, and goes into the call with the result.
    let mut delay = 0;
    let mut after_delay = following;
    if let [AgentStep::Waits(milliseconds), rest @ ..] = following {
        delay = *milliseconds;
        after_delay = rest;
    }
    let (first, rest) = after_delay.split_first()?;
    match first {
        AgentStep::Answers {
            id: answered,
            result,
            failure,
        } if answered == id => Some(FollowingAnswer {
            delay,
            result,
            failure: *failure,
            rest,
        }),
        // Another step comes between, so the result stays a step of its own.
        _ => None,
    }
}

/// The definition of an agent with these rules in a config: for each turn, counted from 1, its steps.
pub fn written_agent(agent: &str, rules: impl IntoIterator<Item = (usize, Vec<Value>)>) -> Value {
    let rules = rules.into_iter();
    let rules: Vec<Value> = rules
        .map(|(turn, steps)| json!({ "when": { "turn": turn }, "do": steps }))
        .collect();
    json!({ "type": "scripted", "agentId": agent, "rules": rules })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(changes: &[(u64, Change<'static>)]) -> (Vec<Value>, Vec<&'static str>) {
        let mut reader = AgentStepReader::default();
        let steps = reader.turn(changes.iter().map(|(after_us, change)| (*after_us, change)));
        (written_steps(&steps), reader.omitted().collect())
    }

    fn call(id: &'static str, args: &'static str) -> Vec<(u64, Change<'static>)> {
        vec![
            (
                1000,
                Change::CallOpened {
                    id: id.into(),
                    name: "pay".into(),
                    subagent: None,
                },
            ),
            (
                0,
                Change::CallArgs {
                    id: id.into(),
                    delta: args.into(),
                },
            ),
            (0, Change::CallArgsDone { id: id.into() }),
        ]
    }

    fn answered(id: &'static str, text: &'static str) -> (u64, Change<'static>) {
        let result = ResultContent::Text(text.into());
        (
            5000,
            Change::CallAnswered {
                id: id.into(),
                result,
                is_error: None,
            },
        )
    }

    #[test]
    fn a_call_contains_the_result_that_follows_it() {
        let changes = [
            call("a", "{\"sum\":1}"),
            vec![answered("a", "{\"ok\":true}")],
        ]
        .concat();
        let expected = json!({ "call": { "tool": "pay", "args": { "sum": 1 }, "result": { "ok": true }, "delay_ms": 5 } });
        assert_eq!(
            turn(&changes),
            (vec![json!({ "delay_ms": 1 }), expected], vec![])
        );
        let changes = [call("a", ""), call("b", "[1]"), vec![answered("a", "ok")]].concat();
        let (written, omitted) = turn(&changes);
        assert_eq!(written[1], json!({ "call": { "tool": "pay", "id": "a" } }));
        assert_eq!(
            written[5],
            json!({ "answer": { "id": "a", "result": "ok" } })
        );
        assert_eq!(omitted, ["arguments that are not an object"]);
    }

    #[test]
    fn texts_are_put_together_and_the_state_says_what_is_new() {
        let opened = Change::MessageOpened {
            id: "m".into(),
            role: MessageKind::Assistant,
            subagent: None,
        };
        let text = |delta: &'static str| Change::MessageText {
            id: "m".into(),
            delta: delta.into(),
        };
        let changes = vec![
            (0, Change::StateReplaced(json!({ "a": 1, "b": 2 }))),
            (0, opened),
            (2000, text("Hel")),
            (
                0,
                Change::StatePatched(json!([{ "op": "replace", "path": "/a", "value": 3 }])),
            ),
            (0, text("lo")),
            (0, Change::StateReplaced(json!({ "a": 3 }))),
            (
                0,
                Change::RunEnded(RunEnd::Error {
                    message: "down".to_owned(),
                    code: None,
                }),
            ),
        ];
        let (written, omitted) = turn(&changes);
        let expected = json!([
            { "state": { "a": 1, "b": 2 } }, { "say": "Hello" }, { "delay_ms": 2 }, { "state": { "a": 3 } },
            { "error": { "message": "down" } },
        ]);
        assert_eq!(Value::Array(written), expected);
        assert_eq!(omitted, ["keys that are removed from the state"]);
    }
}
