//! The shared state: a JSON document that snapshots replace and JSON Patches (RFC 6902) change.

use json_patch::jsonptr::PointerBuf;
use json_patch::{AddOperation, PatchOperation, ReplaceOperation, patch, patch_unsafe};
use serde::Deserialize;
use serde_json::Value;

use super::is_same_json;
use crate::redact::excerpt;
use ananke_base::source::{all_numbers, change_numbers, rounded};

/// The most bytes that the patches of one conversation may copy from one place of the state to another: a few `copy`
/// operations of the whole state into itself would double it until no memory is left.
const MAX_COPIED_BYTES: usize = 64 << 20;

/// The most bytes that the patches of one conversation may move, with the copies of the state that undo a move: each walks them.
const MAX_MOVED_BYTES: usize = 1 << 30;

/// The most levels to which a patch may nest the state: no deeper than the reader of JSON lets a state be sent. Patches
/// could nest it until walking the state overflows the stack.
const MAX_DEPTH: usize = ananke_base::source::received_json::MAX_DEPTH;

/// The most characters of an operation that a message contains.
const SHOWN: usize = 200;

/// The agent's state, and how much of the budget for patches is used.
#[derive(Clone, Debug, Default)]
pub struct State {
    value: Value,
    /// The same with its numbers as they were sent, if one of them is spelled in another way: `1.50`.
    spelled: Option<Box<Value>>,
    copied_bytes: usize,
    moved_bytes: usize,
}

impl State {
    /// A state that starts as `value`.
    pub fn new(value: Value) -> Self {
        let mut state = Self::default();
        state.replace(value);
        state
    }

    /// The document, with its numbers as a double writes them.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The document, with its numbers as they were sent.
    pub fn as_sent(&self) -> &Value {
        self.spelled.as_deref().unwrap_or(&self.value)
    }

    /// Replaces the document.
    pub fn replace(&mut self, value: Value) {
        let plain = in_plain_spelling(&value);
        match plain {
            None => (self.value, self.spelled) = (value, None),
            Some(plain) => (self.value, self.spelled) = (plain, Some(Box::new(value))),
        }
    }

    /// Applies a JSON Patch; if one operation does not apply, none is applied.
    ///
    /// # Errors
    /// The reason why the patch does not apply.
    pub fn patch(&mut self, operations: &Value) -> Result<(), String> {
        let plain = in_plain_spelling(operations);
        let sent = operations;
        let operations = Vec::<PatchOperation>::deserialize(plain.as_ref().unwrap_or(sent))
            .map_err(|failure| format!("it is not a JSON Patch ({failure})"))?;
        self.check(&operations)?;
        if plain.is_some() && self.spelled.is_none() {
            self.spelled = Some(Box::new(self.value.clone()));
        }
        let applied = if moves(&operations) {
            self.apply_each(&operations)
        } else {
            match patch(&mut self.value, &operations) {
                // The package compares numbers as they are written.
                Err(failure) if is_test(operations.get(failure.operation)) => {
                    self.charge_copy()?;
                    self.apply_each(&operations)
                }
                applied => applied.map_err(|failure| (failure.operation, failure.kind.to_string())),
            }
        };
        if applied.is_ok() {
            self.patch_spelled(sent);
        }
        applied.map_err(|(operation, why)| {
            let operation = operations
                .get(operation)
                .map(ToString::to_string)
                .unwrap_or_default();
            let end = operation
                .char_indices()
                .nth(SHOWN)
                .map_or(operation.len(), |(end, _)| end);
            let shown = excerpt(&operation, 0..end);
            format!("`{shown}`: {why}")
        })
    }

    /// Applies a patch that applied to the document to the same in the spelling that was sent.
    fn patch_spelled(&mut self, sent: &Value) {
        let Some(spelled) = &mut self.spelled else {
            return;
        };
        let Ok(mut operations) = Vec::<PatchOperation>::deserialize(sent) else {
            return;
        };
        // Numbers are compared by their values, which the document has.
        operations.retain(|operation| !matches!(operation, PatchOperation::Test(_)));
        if patch_unsafe(spelled, &operations).is_err() {
            self.spelled = None;
        }
    }

    /// Applies operations one by one; if one does not apply, the state is as before. The package does not undo a `move` to a path
    /// that does not exist.
    ///
    /// # Errors
    /// The index of the operation that does not apply, and why.
    fn apply_each(&mut self, operations: &[PatchOperation]) -> Result<(), (usize, String)> {
        let before = self.value.clone();
        for (index, operation) in operations.iter().enumerate() {
            if let PatchOperation::Test(test) = operation
                && let Ok(found) = test.path.resolve(&self.value)
                && is_same_json(found, &test.value)
            {
                continue;
            }
            if let Err(failure) = patch_unsafe(&mut self.value, std::slice::from_ref(operation)) {
                self.value = before;
                return Err((index, failure.kind.to_string()));
            }
        }
        Ok(())
    }

    /// Charges the budget for a copy of the state that undoes a patch.
    ///
    /// # Errors
    /// If it is used up.
    fn charge_copy(&mut self) -> Result<(), String> {
        self.moved_bytes = self.moved_bytes.saturating_add(size(&self.value).bytes);
        if self.moved_bytes > MAX_MOVED_BYTES {
            return Err(format!(
                "it moves or compares more than {MAX_MOVED_BYTES} bytes"
            ));
        }
        Ok(())
    }

    /// Checks that a patch leaves the state small and flat enough to be walked. The value an operation finds is at most
    /// what is there now plus everything that earlier operations of the patch added.
    fn check(&mut self, operations: &[PatchOperation]) -> Result<(), String> {
        let mut put = Size::default();
        if moves(operations) {
            self.moved_bytes = self.moved_bytes.saturating_add(size(&self.value).bytes);
        }
        for operation in operations {
            let place = operation.path().count();
            let found = |from: &PointerBuf| {
                let found = from.resolve(&self.value).map(size).unwrap_or_default();
                Size {
                    bytes: found.bytes + put.bytes,
                    depth: found.depth + put.depth,
                }
            };
            let new = match operation {
                PatchOperation::Add(AddOperation { value, .. })
                | PatchOperation::Replace(ReplaceOperation { value, .. }) => size(value),
                PatchOperation::Move(moved) => {
                    let moved = found(&moved.from);
                    self.moved_bytes = self.moved_bytes.saturating_add(moved.bytes);
                    moved
                }
                PatchOperation::Copy(copy) => {
                    let copied = found(&copy.from);
                    self.copied_bytes = self.copied_bytes.saturating_add(copied.bytes);
                    copied
                }
                PatchOperation::Remove(_) | PatchOperation::Test(_) => Size::default(),
            };
            put = Size {
                bytes: put.bytes.saturating_add(new.bytes),
                depth: put.depth.max(place.saturating_add(new.depth)),
            };
            if put.depth > MAX_DEPTH {
                return Err(format!("it nests the state deeper than {MAX_DEPTH} levels"));
            }
            if self.copied_bytes > MAX_COPIED_BYTES {
                return Err(format!("it copies more than {MAX_COPIED_BYTES} bytes"));
            }
            if self.moved_bytes > MAX_MOVED_BYTES {
                return Err(format!("it moves more than {MAX_MOVED_BYTES} bytes"));
            }
        }
        Ok(())
    }
}

/// The value with its numbers as a double writes them; `None` if they are spelled so.
fn in_plain_spelling(value: &Value) -> Option<Value> {
    let is_plain = all_numbers(value, &|number| rounded(number).as_str() == number.as_str());
    if is_plain {
        return None;
    }
    let mut plain = value.clone();
    change_numbers(&mut plain, rounded);
    Some(plain)
}

/// Whether one of these operations moves a value.
fn moves(operations: &[PatchOperation]) -> bool {
    operations
        .iter()
        .any(|operation| matches!(operation, PatchOperation::Move(_)))
}

/// Whether an operation compares a value.
fn is_test(operation: Option<&PatchOperation>) -> bool {
    matches!(operation, Some(PatchOperation::Test(_)))
}

/// The approximate size of a value.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Size {
    pub(super) bytes: usize,
    depth: usize,
}

pub(super) fn size(value: &Value) -> Size {
    const NODE: usize = size_of::<Value>();
    let of_children = |children: &mut dyn Iterator<Item = (usize, &Value)>| {
        children.fold(
            Size {
                bytes: NODE,
                depth: 1,
            },
            |sum, (name, child)| {
                let child = size(child);
                Size {
                    bytes: sum.bytes + name + child.bytes,
                    depth: sum.depth.max(child.depth + 1),
                }
            },
        )
    };
    match value {
        Value::String(text) => Size {
            bytes: NODE + text.len(),
            depth: 0,
        },
        Value::Array(items) => of_children(&mut items.iter().map(|item| (0, item))),
        Value::Object(fields) => of_children(
            &mut fields
                .iter()
                .map(|(name, value)| (NODE + name.len(), value)),
        ),
        _ => Size {
            bytes: NODE,
            depth: 0,
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_move_that_does_not_apply_leaves_the_state_as_it_was() {
        let (copy, moved) = (
            json!({ "op": "copy", "from": "/a", "path": "/c" }),
            json!({ "op": "move", "from": "/b", "path": "/a/2" }),
        );
        let of_copy = json!({ "op": "move", "from": "/c", "path": "/a/2" });
        for operations in [json!([moved]), json!([copy, of_copy])] {
            let before = json!({ "a": [1], "b": 2 });
            let mut state = State::new(before.clone());
            let error = state.patch(&operations).unwrap_err();
            assert!(
                error.contains("\"op\":\"move\"") && error.contains("path is invalid"),
                "{error}"
            );
            assert_eq!(state.value(), &before);
        }
    }

    #[test]
    fn a_test_compares_as_rules_do() {
        let before = json!({ "a": 5, "b": { "c": [1, true] } });
        for (test, applies) in [
            (json!({ "op": "test", "path": "/a", "value": 5.0 }), true),
            (
                json!({ "op": "test", "path": "/b", "value": { "c": [1.0, true] } }),
                true,
            ),
            (json!({ "op": "test", "path": "/a", "value": 6 }), false),
            (json!({ "op": "test", "path": "/a", "value": "5" }), false),
            (json!({ "op": "test", "path": "/b/c/1", "value": 1 }), false),
            (json!({ "op": "test", "path": "/d", "value": null }), false),
        ] {
            let mut state = State::new(before.clone());
            let change = json!({ "op": "add", "path": "/d", "value": 7 });
            let patched = state
                .patch(&json!([change.clone(), { "op": "remove", "path": "/d" }, test, change]));
            assert_eq!(patched.is_ok(), applies, "{test}: {patched:?}");
            let expected = if applies {
                json!({ "a": 5, "b": { "c": [1, true] }, "d": 7 })
            } else {
                before.clone()
            };
            assert_eq!(state.value(), &expected);
        }
    }

    #[test]
    fn numbers_keep_the_spelling_in_which_they_were_sent() {
        let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        let mut state = State::new(value(r#"{"a":1.5,"b":[]}"#));
        assert_eq!(state.as_sent(), state.value());
        let patch = |state: &mut State, operations: &str| {
            let patched = state.patch(&value(operations));
            let documents = [state.value(), state.as_sent()].map(Value::to_string);
            (patched.is_ok(), documents.join(" "))
        };
        for (operations, applies, documents) in [
            (
                r#"[{"op":"test","path":"/a","value":1.50},{"op":"add","path":"/b/-","value":2.50}]"#,
                true,
                r#"{"a":1.5,"b":[2.5]} {"a":1.5,"b":[2.50]}"#,
            ),
            (
                r#"[{"op":"replace","path":"/a","value":3},{"op":"copy","from":"/b/0","path":"/c"}]"#,
                true,
                r#"{"a":3,"b":[2.5],"c":2.5} {"a":3,"b":[2.50],"c":2.50}"#,
            ),
            (
                r#"[{"op":"replace","path":"/a","value":4.10},{"op":"remove","path":"/d"}]"#,
                false,
                r#"{"a":3,"b":[2.5],"c":2.5} {"a":3,"b":[2.50],"c":2.50}"#,
            ),
        ] {
            assert_eq!(
                patch(&mut state, operations),
                (applies, documents.to_owned())
            );
        }
        state.replace(value("7"));
        assert_eq!(state.as_sent(), &value("7"));
    }

    #[test]
    fn a_move_that_applies_moves() {
        let mut state = State::new(json!({ "a": [1], "b": 2 }));
        state
            .patch(&json!([{ "op": "move", "from": "/b", "path": "/a/1" }]))
            .unwrap();
        assert_eq!(state.value(), &json!({ "a": [1, 2] }));
    }
}
