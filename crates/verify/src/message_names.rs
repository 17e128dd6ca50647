//! The names of the keys of messages, as data.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::tool_end::ToolEnd;

/// The speaker of a message.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MessageSpeaker {
    User,
    Assistant,
    System,
    Tool,
}

/// The kind of a message's part.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PartKind {
    Text,
    Call,
    Result,
    Reasoning,
}

/// The names of the keys of messages.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MessageNames {
    pub(crate) wrappers: Vec<String>,
    pub(crate) repeats: Vec<String>,
    pub(crate) role: Vec<String>,
    pub(crate) roles: HashMap<String, MessageSpeaker>,
    pub(crate) content: Vec<String>,
    pub(crate) refusal: Vec<String>,
    pub(crate) transcript: Vec<String>,
    pub(crate) answer: Vec<String>,
    pub(crate) reasoning: Vec<String>,
    pub(crate) calls: Vec<String>,
    pub(crate) results: Vec<String>,
    pub(crate) reasoning_parts: Vec<String>,
    pub(crate) thought: Vec<String>,
    pub(crate) part_type: Vec<String>,
    pub(crate) part_types: HashMap<String, PartKind>,
    pub(crate) text: Vec<String>,
    pub(crate) call_id: Vec<String>,
    pub(crate) name: Vec<String>,
    pub(crate) arguments: Vec<String>,
    pub(crate) result: Vec<String>,
    pub(crate) call_result: Vec<String>,
    pub(crate) is_error: Vec<String>,
    pub(crate) error: Vec<String>,
    pub(crate) status: Vec<String>,
    pub(crate) statuses: HashMap<String, ToolEnd>,
    pub(crate) approval: Vec<String>,
    pub(crate) marked_failures: Vec<String>,
    pub(crate) keyed_results: KeyedResults,
}

/// The marks of a failure that results of a form have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FailureMarks {
    /// Nothing says whether the call failed, if no mark does.
    Optional,
    /// A failure has a mark.
    Always,
    /// The keys of the result say it.
    Keys,
}

/// Results that are at one key of an object if the call succeeded, and at another if it failed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeyedResults {
    /// The types or keys of such results.
    pub(crate) of: Vec<String>,
    pub(crate) succeeded: String,
    pub(crate) failed: String,
}

impl MessageNames {
    /// The kind of a part of this type, and the text at the star of its pattern.
    pub(crate) fn part_kind<'t>(&self, name: &'t str) -> Option<(PartKind, Option<&'t str>)> {
        if let Some(kind) = self.part_types.get(name) {
            return Some((*kind, None));
        }
        let starred = self.part_types.iter().filter_map(|(pattern, kind)| {
            let (before, after) = pattern.split_once('*')?;
            let star = name.strip_prefix(before)?.strip_suffix(after)?;
            (!star.is_empty()).then_some((*kind, Some(star)))
        });
        // The shortest text is that of the longest pattern.
        starred.min_by_key(|(_, star)| star.map(str::len))
    }

    /// The end of a call whose status is this text, if that says it.
    pub(crate) fn end_of_status(&self, status: &Value) -> Option<ToolEnd> {
        self.statuses.get(&status.as_str()?.to_lowercase()).copied()
    }

    /// The same object with the keys of objects in it that mean nothing by themselves. A key that both have keeps the outer
    /// value, but for the type and the name; the other value is `lost`, if it is different.
    pub(crate) fn unwrapped(
        &self,
        object: &Map<String, Value>,
        lost: &mut Vec<(String, Value)>,
    ) -> Map<String, Value> {
        let mut flat = object.clone();
        for _ in 0..self.wrappers.len() {
            for wrapper in &self.wrappers {
                if let Some(Value::Object(_)) = flat.get(wrapper)
                    && let Some(Value::Object(inner)) = flat.shift_remove(wrapper)
                {
                    for (key, value) in inner {
                        self.put(&mut flat, key, value, lost);
                    }
                }
            }
        }
        flat
    }

    fn put(
        &self,
        flat: &mut Map<String, Value>,
        key: String,
        value: Value,
        lost: &mut Vec<(String, Value)>,
    ) {
        let is_inner = self.part_type.contains(&key) || self.name.contains(&key);
        match flat.get_mut(&key) {
            Some(outer) if outer.is_null() => *outer = value,
            Some(outer) if !value.is_null() && *outer != value => {
                let other = if is_inner {
                    std::mem::replace(outer, value)
                } else {
                    value
                };
                lost.push((key, other));
            }
            Some(_) => {}
            None => {
                flat.insert(key, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::conventions::Conventions;
    use super::*;

    #[test]
    fn the_longest_pattern_of_a_type_counts() {
        let names = &Conventions::known().messages;
        for (name, expected) in [
            ("tool-result", Some((PartKind::Result, None))),
            (
                "tool-delete_order",
                Some((PartKind::Call, Some("delete_order"))),
            ),
            (
                "web_search_call",
                Some((PartKind::Call, Some("web_search"))),
            ),
            (
                "computer_call_output",
                Some((PartKind::Result, Some("computer"))),
            ),
            (
                "web_fetch_tool_result",
                Some((PartKind::Result, Some("web_fetch"))),
            ),
            ("_call", None),
            ("video", None),
        ] {
            assert_eq!(names.part_kind(name), expected, "{name}");
        }
    }

    #[test]
    fn what_a_wrapper_has_besides_is_not_lost() {
        let names = &Conventions::known().messages;
        let object = json!({ "type": "ai", "content": "a", "data": { "type": "human", "content": "b", "id": 1 } });
        let mut lost = Vec::new();
        let flat = names.unwrapped(object.as_object().unwrap(), &mut lost);
        assert_eq!(
            Value::Object(flat),
            json!({ "type": "human", "content": "a", "id": 1 })
        );
        assert_eq!(
            lost,
            [
                ("content".to_owned(), json!("b")),
                ("type".to_owned(), json!("ai"))
            ][..]
                .iter()
                .rev()
                .cloned()
                .collect::<Vec<_>>()
        );
    }
}
