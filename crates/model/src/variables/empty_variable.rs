//! A variable without a value, where one is needed, and the words about it.

use serde_json::Value;

use super::{Reference, Secret};

/// A variable that is empty or blank, where a value is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EmptyVariable {
    /// The variable, with its value.
    pub(super) variable: Secret,
    /// The variable that was made of it, if it is only a part.
    pub(super) part_of: Option<String>,
}

impl EmptyVariable {
    /// A reference that gives `value`, if that is empty or blank.
    pub(super) fn of(reference: &Reference<'_>, value: &Value) -> Option<Self> {
        let text = match value {
            Value::Null => "",
            Value::String(text) => text,
            _ => return None,
        };
        text.trim().is_empty().then(|| Self {
            variable: Secret::given(reference, text),
            part_of: None,
        })
    }

    /// The name in the environment, if it comes from there.
    pub(super) fn environment(&self) -> Option<&str> {
        self.variable.name.strip_prefix("ENV.")
    }

    /// The problem of `place`, into which it goes.
    pub(super) fn message(&self, place: &str) -> String {
        let name = match self.environment() {
            Some(name) => format!("the environment variable `{name}`"),
            None => format!("the variable `{}`", self.variable.name),
        };
        let is = if self.variable.value.is_empty() {
            "is empty"
        } else {
            "is blank"
        };
        match &self.part_of {
            Some(whole) => {
                format!("{place} needs a value: `{whole}` is made of {name}, which {is}")
            }
            None => format!("{place} needs a value: {name} {is}"),
        }
    }

    /// What to do about it.
    pub(super) fn help(&self) -> String {
        let set = match self.environment() {
            Some(_) => "set it",
            None => "give it a value",
        };
        if !self.variable.value.is_empty() {
            return format!("{set}: whitespace counts as empty, and `:-` does not replace it");
        }
        let name = &self.variable.name;
        match &self.part_of {
            Some(whole) => {
                format!("{set}, or write `${{{name}:-}}` in `{whole}` if empty is meant")
            }
            None => format!("{set}, or write `${{{name}:-}}` if empty is meant"),
        }
    }
}
