//! The facts that a value may be which nothing understands (SPEC 13).
//!
//! **Invariant:** a value that cannot be looked into may be any fact.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::fact::{Fact, Facts};
use ananke_base::source::received_json;

/// Facts of what may be a call with its result.
const CALL: Facts = Facts::of(&[Fact::Calls, Fact::Arguments, Fact::Results, Fact::CallEnds]);

/// Facts of what may be the result of a call that has an id.
const RESULT: Facts = Facts::of(&[Fact::Results, Fact::CallEnds]);

/// Facts of what may be text.
const TEXT: Facts = Facts::of(&[Fact::Text]);

/// Keys under which protocols name a tool.
const NAMES: [&str; 9] = [
    "name",
    "tool",
    "tool_name",
    "toolName",
    "toolCallName",
    "tool_call_name",
    "function",
    "function_name",
    "functionName",
];

/// Keys that name a tool whose call an item is about, also without arguments.
const TOOL_NAMES: [&str; 6] = [
    "tool_name",
    "toolName",
    "toolCallName",
    "tool_call_name",
    "function_name",
    "functionName",
];

/// Keys under which protocols write the arguments of a call.
const ARGUMENTS: [&str; 14] = [
    "arguments",
    "args",
    "input",
    "inputs",
    "parameters",
    "params",
    "kwargs",
    "tool_input",
    "toolInput",
    "tool_args",
    "toolArgs",
    "rawInput",
    "action_input",
    "function_args",
];

/// Keys under which protocols write the result of a call.
const RESULTS: [&str; 8] = [
    "result",
    "results",
    "output",
    "response",
    "tool_result",
    "toolResult",
    "observation",
    "return_value",
];

/// Keys under which protocols write the id of the call that a result answers.
const CALL_IDS: [&str; 6] = [
    "tool_call_id",
    "toolCallId",
    "tool_use_id",
    "toolUseId",
    "call_id",
    "callId",
];

/// Keys that carry text in some protocol.
const TEXTS: [&str; 8] = [
    "text",
    "content",
    "delta",
    "message",
    "output",
    "answer",
    "parts",
    "transcript",
];

/// The call that something unread may be a piece of, as far as that is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnreadCall<'a> {
    /// The tool that it names: rules about other tools do not rest on it.
    pub tool: Option<Cow<'a, str>>,
    /// The id of the call: if that call is known, it is no other one.
    pub id: Option<Cow<'a, str>>,
}

/// The longest text in a value that is read as JSON, in bytes.
const MAX_INNER_JSON: usize = 1 << 20;

/// The facts that an item of an unknown kind may be: a call if one object in it has a name and arguments or a result, the name of a
/// tool or the id of a call; text if a key that carries text has a string.
pub fn facts_of_item(value: &Value) -> Facts {
    FactSearch::of(value, SearchedValue::Item).facts
}

/// The call that an item of an unknown kind may be a piece of, if it has neither arguments nor a result: extra events of a vendor repeat the name and
/// the id of a call that is known already, or are about another tool than a rule.
pub(super) fn call_of_item(value: &Value) -> UnreadCall<'static> {
    let FactSearch {
        facts,
        tools,
        call_ids,
        has_data,
        ..
    } = FactSearch::of(value, SearchedValue::Item);
    if has_data || facts != CALL {
        return UnreadCall::default();
    }
    let only = |mut found: BTreeSet<String>| match found.len() {
        1 => found.pop_first().map(Cow::Owned),
        _ => None,
    };
    UnreadCall {
        tool: only(tools),
        id: only(call_ids),
    }
}

/// The facts that the value of an unknown key of a known item may be: a call.
pub fn facts_of_key(value: &Value) -> Facts {
    if !(value.is_object() || value.is_array()) {
        return Facts::NONE;
    }
    FactSearch::of(value, SearchedValue::Key).facts
}

/// Whether the text of a value may hold what is a call: a quick look, which is true wherever [`facts_of_key`] finds one.
pub fn may_hold_call(json: &str) -> bool {
    let keys = || {
        ARGUMENTS
            .iter()
            .chain(&RESULTS)
            .chain(&CALL_IDS)
            .any(|key| json.contains(key))
    };
    json.contains('{') && (json.contains("\\u") || keys())
}

/// Whether texts that contain JSON are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum InnerJson {
    Read,
    Ignored,
}

/// The result of the search so far.
struct FactSearch {
    facts: Facts,
    searched: SearchedValue,
    /// Whether an object has what may be arguments or a result: they may be news of a call that is known.
    has_data: bool,
    /// The tools that it names under keys that name nothing else.
    tools: BTreeSet<String>,
    /// The ids of calls that it has.
    call_ids: BTreeSet<String>,
}

/// The kind of thing that is searched.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SearchedValue {
    /// An item of an unknown kind: it may be a piece of a call, or text.
    Item,
    /// The value of an unknown key of a known item.
    Key,
}

impl FactSearch {
    fn of(value: &Value, searched: SearchedValue) -> Self {
        let mut search = Self {
            facts: Facts::NONE,
            searched,
            has_data: false,
            tools: BTreeSet::new(),
            call_ids: BTreeSet::new(),
        };
        search.value(value, InnerJson::Read);
        search
    }

    fn value(&mut self, value: &Value, inner: InnerJson) {
        match value {
            Value::Object(object) => {
                self.object(object);
                for value in object.values() {
                    self.value(value, inner);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.value(item, inner)),
            Value::String(text) if inner == InnerJson::Read => self.text(text),
            _ => {}
        }
    }

    fn object(&mut self, object: &Map<String, Value>) {
        self.has_data |= has_any(object, &ARGUMENTS) || has_any(object, &RESULTS);
        if is_call(object) {
            self.facts = self.facts | CALL;
        }
        let has_call_id = CALL_IDS.iter().any(|key| object.contains_key(*key));
        let is_answer = has_call_id && (has_any(object, &RESULTS) || has_any(object, &["content"]));
        let texts_of = |keys: &[&str]| {
            let texts = keys.iter().filter_map(|key| object.get(*key)?.as_str());
            let texts = texts.filter(|text| !text.trim().is_empty());
            texts.map(str::to_owned).collect::<BTreeSet<String>>()
        };
        let tools = texts_of(&TOOL_NAMES);
        let names_tool = !tools.is_empty();
        self.tools.extend(tools);
        self.call_ids.extend(texts_of(&CALL_IDS));
        if is_answer {
            self.facts = self.facts | RESULT;
        } else if self.searched == SearchedValue::Item && (names_tool || has_call_id) {
            // The piece of a call in a form that is not known.
            self.facts = self.facts | CALL;
        }
        let carries_text = |value: &Value| {
            is_text(value)
                || value
                    .as_array()
                    .is_some_and(|items| items.iter().any(is_text))
        };
        if self.searched == SearchedValue::Item
            && TEXTS
                .iter()
                .any(|key| object.get(*key).is_some_and(carries_text))
        {
            self.facts = self.facts | TEXT;
        }
    }

    /// Looks into a text that is JSON.
    fn text(&mut self, text: &str) {
        if text.len() <= MAX_INNER_JSON
            && text.trim_start().starts_with(['{', '['])
            && let Ok(read) = received_json::read(text)
        {
            self.value(&read.value, InnerJson::Ignored);
        }
    }
}

/// Whether an object by itself has the form of a call: a name, and arguments or a result. The declaration of a tool has a name and
/// parameters too, so that only their schema shows the difference.
pub fn is_call(object: &Map<String, Value>) -> bool {
    let is_named = NAMES
        .iter()
        .any(|key| matches!(object.get(*key), Some(name) if is_text(name)));
    is_named
        && (has_any(object, &RESULTS) || has_any(object, &ARGUMENTS) && !is_declaration(object))
}

/// Whether protocols write the arguments of a call under this key.
pub fn is_arguments_key(key: &str) -> bool {
    ARGUMENTS.contains(&key)
}

/// Whether protocols name a tool under this key.
pub fn is_name_key(key: &str) -> bool {
    NAMES.contains(&key)
}

/// The arguments that an object has of a call by itself, with their key.
pub fn written_arguments(object: &Map<String, Value>) -> Option<(&str, &Value)> {
    if is_declaration(object) {
        return None;
    }
    // The object lends the key, so that the result does not live as long as the table.
    for (key, value) in object {
        if ARGUMENTS.contains(&key.as_str()) && !value.is_null() {
            return Some((key, value));
        }
    }
    None
}

/// The ids by which an object names a call, its own or that which it is about.
pub fn call_ids(object: &Map<String, Value>) -> Vec<&str> {
    // The plain key is not among the others, since most objects that have it are no calls.
    let keys = [&CALL_IDS[..], &["id"]].concat();
    let ids = keys.iter().filter_map(|key| object.get(*key)?.as_str());
    ids.collect()
}

/// Whether one of `keys` has a value in `object`, and it is not null.
fn has_any(object: &Map<String, Value>, keys: &[&str]) -> bool {
    keys.iter().any(|key| is_given(object.get(*key)))
}

/// Whether there is a value, and it is not null.
fn is_given(value: Option<&Value>) -> bool {
    value.is_some_and(|value| !value.is_null())
}

fn is_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.trim().is_empty())
}

/// Whether an object declares a tool: its parameters are a schema.
fn is_declaration(object: &Map<String, Value>) -> bool {
    let is_schema = |value: &Value| {
        value.get("properties").is_some_and(Value::is_object)
            && value.get("type").is_none_or(|kind| kind == "object")
    };
    object.get("parameters").is_some_and(is_schema)
        && ARGUMENTS
            .iter()
            .all(|key| *key == "parameters" || !is_given(object.get(*key)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_object_with_a_name_and_arguments_or_a_result_may_be_a_call() {
        for value in [
            json!({ "name": "pay", "arguments": "{}" }),
            json!({ "deep": [{ "er": { "functionCall": { "name": "pay", "args": {} } } }] }),
            json!({ "toolName": "pay", "output": 1 }),
            json!({ "type": "custom", "custom": { "name": "pay", "input": "x" } }),
            json!({ "payload": r#"{"name":"pay","arguments":{}}"# }),
        ] {
            assert!(facts_of_item(&value).has(Fact::Calls), "{value}");
            assert_eq!(facts_of_key(&value), CALL, "{value}");
            assert!(may_hold_call(&value.to_string()), "{value}");
        }
        for value in [
            json!({ "name": "pay", "description": "d", "parameters": { "type": "object", "properties": {} } }),
            json!({ "name": "pay" }),
            json!({ "arguments": {} }),
            json!({ "name": "", "arguments": {} }),
            json!({ "name": "pay", "arguments": null }),
            json!("name arguments"),
            json!({ "payload": r#"{"in":"{\"name\":\"pay\",\"args\":{}}"}"# }),
        ] {
            assert!(!facts_of_item(&value).has(Fact::Calls), "{value}");
            assert_eq!(facts_of_key(&value), Facts::NONE, "{value}");
        }
    }

    #[test]
    fn an_item_with_the_name_of_a_tool_or_the_id_of_a_call_may_be_a_call() {
        for value in [
            json!({ "type": "TOOL_CALLED", "toolCallName": "refund" }),
            json!({ "event": { "tool_name": "refund" } }),
            json!({ "type": "TOOL_STARTED", "toolCallId": "1" }),
        ] {
            assert_eq!(facts_of_item(&value), CALL, "{value}");
            assert_eq!(facts_of_key(&value), Facts::NONE, "{value}");
        }
        let nameless = json!({ "toolName": " ", "name": "refund" });
        assert_eq!(facts_of_item(&nameless), Facts::NONE);
    }

    #[test]
    fn what_answers_a_call_may_be_a_result() {
        let value = json!({ "type": "x", "tool_use_id": "1", "content": [{ "type": "json" }] });
        assert_eq!(facts_of_item(&value), RESULT);
    }

    #[test]
    fn only_an_item_may_be_text() {
        for value in [
            json!({ "answer": "yes" }),
            json!({ "a": { "parts": ["yes"] } }),
            json!({ "content": [{ "type": "x", "text": "yes" }] }),
        ] {
            assert_eq!(facts_of_item(&value), TEXT, "{value}");
            assert_eq!(facts_of_key(&value), Facts::NONE, "{value}");
        }
        for value in [
            json!({ "text": " " }),
            json!({ "progress": "yes" }),
            json!({ "text": 1 }),
        ] {
            assert_eq!(facts_of_item(&value), Facts::NONE, "{value}");
        }
    }
}
