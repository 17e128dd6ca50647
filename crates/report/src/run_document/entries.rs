//! The entries of an object whose kind is known when all of them are read.
//!
//! **Invariant:** every part of a document is read from a text, so that the code which reads it is made once.

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

/// The entries of an object, each value as it is written.
#[derive(Debug, Default)]
pub(crate) struct ObjectEntries(Vec<(String, Box<RawValue>)>);

impl ObjectEntries {
    /// Adds the next entry.
    pub(crate) fn add(&mut self, name: String, value: Box<RawValue>) {
        self.0.push((name, value));
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The entry `type`; `None` if there is none, or it is not a text.
    pub(crate) fn kind(&self) -> Option<String> {
        self.field("type").ok().flatten()
    }

    /// The entry `name`; `None` if there is none.
    ///
    /// # Errors
    /// If it is not a `T`; the place is that in its text.
    pub(crate) fn field<T: DeserializeOwned>(
        &self,
        name: &str,
    ) -> Result<Option<T>, serde_json::Error> {
        let entry = self.0.iter().find(|(own, _)| own == name);
        let value = entry.map(|(_, value)| serde_json::from_str(value.get()));
        value.transpose()
    }

    /// The object as a `T`.
    ///
    /// # Errors
    /// If it is not one; the place is that in the text of its entries.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(&self.text())
    }

    /// The object as compact JSON, but for what is within its values.
    fn text(&self) -> String {
        let mut text = String::from("{");
        for (name, value) in &self.0 {
            if text.len() > 1 {
                text.push(',');
            }
            text.push_str(&Value::from(name.as_str()).to_string());
            text.push(':');
            text.push_str(value.get());
        }
        text.push('}');
        text
    }
}

/// The words of an error, without the place in the text of a part.
pub(crate) fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let message = text.split_once(" at line ").map(|(message, _)| message);
    message.unwrap_or(&text).to_owned()
}
