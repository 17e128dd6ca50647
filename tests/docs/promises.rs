//! The promises of an example: what its rules say about the calls of an agent, by scope. A test in, out of it which mutants of
//! `ananke mutate` must not survive. **Invariant:** a promise is what the example says, not what its rules notice.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// Everything that the rules of one scope say a mutant must not survive.
#[derive(Debug, Default)]
pub(super) struct Promises {
    /// The tools that must be called.
    pub(super) required: BTreeSet<String>,
    /// The tools that are called an exact number of times.
    pub(super) once: BTreeSet<String>,
    /// The tools that are never called.
    pub(super) never: BTreeSet<String>,
    /// The arguments that have a value, by tool.
    pub(super) values: BTreeSet<(String, String)>,
    /// The arguments that match a pattern as a whole, by tool: their text, of whatever type.
    texts: BTreeSet<(String, String)>,
    /// Whether no other tool may be called.
    pub(super) is_only: bool,
    /// Whether no call may be made once more.
    is_counted: bool,
}

impl Promises {
    /// The promises of an assert block.
    fn add(&mut self, block: &Value) {
        let tools = &block["tools"];
        for entry in one_or_many(&tools["require"]) {
            self.add_entry(entry);
        }
        for tool in one_or_many(&tools["forbid"]) {
            self.never.extend(tool.as_str().map(str::to_owned));
        }
        self.is_only |= !tools["allow_only"].is_null() || tools["max_calls"] == json!(0);
        self.is_counted |= tools["max_identical_calls"] == json!(1);
        let sequence = &block["sequence"];
        let mode = sequence["mode"].as_str().unwrap_or_default();
        self.is_only |= ["exact", "any_order", "only"].contains(&mode);
        self.is_counted |= ["exact", "any_order"].contains(&mode);
        for step in sequence["steps"].as_array().into_iter().flatten() {
            let Some(tool) = step["call"].as_str().or(step["call"]["name"].as_str()) else {
                continue;
            };
            if mode != "only" && step["optional"] != json!(true) {
                self.required.insert(tool.to_owned());
                self.add_values(tool, &step["args"]);
                self.add_values(tool, &step["call"]["args"]);
                self.add_texts(tool, &step["args_match"]);
            }
        }
    }

    fn add_entry(&mut self, entry: &Value) {
        let Some(tool) = entry.as_str().or(entry["name"].as_str()) else {
            return;
        };
        let count = &entry["count"];
        let exact = count.as_u64().or(count["exact"].as_u64());
        let least = match exact.or(count["min"].as_u64()) {
            Some(least) => least,
            None if count.is_null() => 1,
            None => 0,
        };
        if exact.is_some_and(|exact| exact > 0) || count["max"] == json!(1) {
            self.once.insert(tool.to_owned());
        }
        self.add_values(tool, &entry["every"]["args"]);
        self.add_texts(tool, &entry["every"]["args_match"]);
        if least > 0 {
            self.required.insert(tool.to_owned());
            self.add_values(tool, &entry["args"]);
            self.add_texts(tool, &entry["args_match"]);
        }
    }

    fn add_values(&mut self, tool: &str, args: &Value) {
        for key in args.as_object().into_iter().flat_map(Map::keys) {
            self.values.insert((tool.to_owned(), key.clone()));
        }
    }

    fn add_texts(&mut self, tool: &str, patterns: &Value) {
        for (key, pattern) in patterns.as_object().into_iter().flatten() {
            let pattern = pattern.as_str().unwrap_or_default();
            if pattern.starts_with('^') && pattern.ends_with('$') {
                self.texts.insert((tool.to_owned(), key.clone()));
            }
        }
    }

    /// Whether the rules say that this mutant, as `mutate --json` writes it, does not survive.
    fn exclude(&self, mutant: &Value) -> bool {
        let operator = mutant["operator"].as_str().unwrap_or_default();
        let tool = mutant["tool"].as_str().unwrap_or_default().to_owned();
        match operator {
            "drop_call" => self.required.contains(&tool),
            "duplicate_call" => self.is_counted || self.once.contains(&tool),
            "undeclared_call" => self.is_only,
            "change_argument" | "drop_argument" | "retype_argument" => {
                let argument = mutant["argument"].as_str().unwrap_or_default();
                let argument = (tool, argument.to_owned());
                let is_text = operator != "retype_argument" && self.texts.contains(&argument);
                is_text || self.values.contains(&argument)
            }
            _ => false,
        }
    }
}

/// The promises of a test: those of its own rules, and of each turn.
#[derive(Debug, Default)]
pub(super) struct TestPromises {
    test: Promises,
    /// Those of the checkpoints of a simulated conversation, which `mutate` does not evaluate.
    pub(super) checkpoints: Promises,
    turns: Vec<TurnPromises>,
}

#[derive(Debug, Default)]
struct TurnPromises {
    own: Promises,
    /// Whether the rules of the test about tools skip the turn.
    is_free: bool,
}

impl TestPromises {
    pub(super) fn of(test: &Value) -> Self {
        let mut promises = Self::default();
        promises.test.add(&test["assert"]);
        for checkpoint in one_or_many(&test["simulate"]["checkpoints"]) {
            if checkpoint["required"] != json!(false) {
                promises.checkpoints.add(&checkpoint["assert"]);
            }
        }
        for turn in one_or_many(&test["turns"]) {
            let mut own = Promises::default();
            own.add(&turn["assert"]);
            let is_free = turn["assert"]["tools"] == json!(false);
            promises.turns.push(TurnPromises { own, is_free });
        }
        promises
    }

    /// Every scope with rules of its own.
    pub(super) fn scopes(&self) -> impl Iterator<Item = &Promises> {
        let turns = self.turns.iter().map(|turn| &turn.own);
        std::iter::once(&self.test).chain(turns)
    }

    /// Whether the test says that this mutant does not survive: on the whole, or in the turn that is changed.
    pub(super) fn exclude(&self, mutant: &Value) -> bool {
        let number = mutant["turn"].as_u64().unwrap_or_default();
        let turn = usize::try_from(number).ok();
        let turn = turn.and_then(|number| self.turns.get(number.checked_sub(1)?));
        match turn {
            Some(turn) if turn.own.exclude(mutant) => true,
            Some(turn) if turn.is_free => false,
            _ => self.test.exclude(mutant),
        }
    }
}

/// A list, or the one value that stands for it.
pub(super) fn one_or_many(value: &Value) -> &[Value] {
    match value {
        Value::Null | Value::Bool(_) => &[],
        Value::Array(items) => items,
        one => std::slice::from_ref(one),
    }
}
