//! The shared state: what a snapshot says, changed by JSON Patches (RFC 6902).

use json_patch::{PatchOperation, patch};
use serde::Deserialize;
use serde_json::Value;

/// How many bytes the patches of one conversation may copy from one place of the state to another: a few `copy`
/// operations of the whole state into itself would double it until no memory is left.
const MAX_COPIED_BYTES: usize = 64 << 20;

/// How deep a patch may reach or put something. Parsed JSON is never deeper than 128 levels, but patches could stack
/// it up until walking the state overflows the stack.
const MAX_DEPTH: usize = 256;

/// How much of an operation a message shows, in characters.
const SHOWN: usize = 200;

/// The agent's state, a JSON document that is replaced or patched, and what of its budget is used.
#[derive(Clone, Debug, Default)]
pub struct State {
    value: Value,
    copied_bytes: usize,
}

impl State {
    /// A state that starts as `value`.
    pub fn new(value: Value) -> Self {
        Self { value, copied_bytes: 0 }
    }

    /// The document.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Replaces the document.
    pub fn replace(&mut self, value: Value) {
        self.value = value;
    }

    /// Applies a JSON Patch as a whole or not at all.
    ///
    /// # Errors
    /// Says why the document stays as it is.
    pub fn patch(&mut self, operations: &Value) -> Result<(), String> {
        let operations = Vec::<PatchOperation>::deserialize(operations)
            .map_err(|failure| format!("it is not a JSON Patch ({failure})"))?;
        // One operation, which is what agents stream, undoes itself: only several need a copy to go back to.
        let before = (operations.len() > 1).then(|| self.value.clone());
        let applied = operations.iter().try_for_each(|operation| self.apply(operation));
        if let (Err(_), Some(before)) = (&applied, before) {
            self.value = before;
        }
        applied
    }

    fn apply(&mut self, operation: &PatchOperation) -> Result<(), String> {
        self.check(operation)?;
        patch(&mut self.value, std::slice::from_ref(operation)).map_err(|failure| {
            let shown: String = operation.to_string().chars().take(SHOWN).collect();
            format!("`{shown}`: {}", failure.kind)
        })
    }

    /// Whether an operation leaves the state small and flat enough to be walked.
    fn check(&mut self, operation: &PatchOperation) -> Result<(), String> {
        let place = operation.path().count();
        let depth = match operation {
            PatchOperation::Add(_) | PatchOperation::Replace(_) => place,
            PatchOperation::Move(moved) => {
                place + moved.from.resolve(&self.value).map_or(0, |value| size(value).depth)
            }
            PatchOperation::Copy(copy) => {
                let copied = copy.from.resolve(&self.value).map(size).unwrap_or_default();
                self.copied_bytes += copied.bytes;
                place + copied.depth
            }
            PatchOperation::Remove(_) | PatchOperation::Test(_) => 0,
        };
        if depth > MAX_DEPTH {
            return Err(format!("it nests the state deeper than {MAX_DEPTH} levels"));
        }
        if self.copied_bytes > MAX_COPIED_BYTES {
            return Err(format!("it copies more than {MAX_COPIED_BYTES} bytes"));
        }
        Ok(())
    }
}

/// How large a value is, about.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    bytes: usize,
    depth: usize,
}

fn size(value: &Value) -> Size {
    const NODE: usize = size_of::<Value>();
    let of_children = |children: &mut dyn Iterator<Item = (usize, &Value)>| {
        children.fold(Size { bytes: NODE, depth: 1 }, |sum, (name, child)| {
            let child = size(child);
            Size { bytes: sum.bytes + name + child.bytes, depth: sum.depth.max(child.depth + 1) }
        })
    };
    match value {
        Value::String(text) => Size { bytes: NODE + text.len(), depth: 0 },
        Value::Array(items) => of_children(&mut items.iter().map(|item| (0, item))),
        Value::Object(fields) => {
            of_children(&mut fields.iter().map(|(name, value)| (NODE + name.len(), value)))
        }
        _ => Size { bytes: NODE, depth: 0 },
    }
}
