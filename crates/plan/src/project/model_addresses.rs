//! `${MODEL.NAME.URL}`: the addresses of the models of a config.
//!
//! The ports are known when the models are served, but everything is checked and partly filled before. Until then each
//! address has a name that no host can have (RFC 2606), which is replaced when the run starts.

use indexmap::IndexMap;
use serde_json::{Map, Value, json};

use ananke_base::diagnostic::Spanned;
use ananke_base::source::FreeMap;
use ananke_model::model::WrittenModel;

/// The variable with the addresses of all models.
pub(crate) const MODEL: &str = "MODEL";

/// The value of the variable before the models are served.
pub(crate) fn unserved_models(models: &FreeMap<Spanned<WrittenModel>>) -> Value {
    let mut addresses = Map::new();
    for (number, (name, _)) in (1..).zip(models) {
        addresses.insert(name.value.clone(), json!({ "URL": unserved_url(number) }));
    }
    Value::Object(addresses)
}

/// The address of the model of this number, counted from 1, before it is served.
fn unserved_url(number: usize) -> String {
    format!("http://model-{number}.invalid")
}

/// The addresses of served models, each with the one that it had before.
pub(crate) struct ServedAddresses(IndexMap<String, String>);

impl ServedAddresses {
    /// Served addresses, in the order of the config.
    pub(crate) fn new(urls: &[&str]) -> Self {
        let mut served = IndexMap::new();
        for (number, url) in (1..).zip(urls) {
            served.insert(unserved_url(number), (*url).to_owned());
        }
        Self(served)
    }

    /// Replaces the addresses in a text.
    pub(crate) fn put_into(&self, text: &mut String) {
        for (unserved, url) in &self.0 {
            if text.contains(unserved) {
                *text = text.replace(unserved, url);
            }
        }
    }

    /// Replaces the addresses in all texts of a value.
    pub(crate) fn put_into_value(&self, value: &mut Value) {
        match value {
            Value::String(text) => self.put_into(text),
            Value::Array(items) => {
                for item in items {
                    self.put_into_value(item);
                }
            }
            Value::Object(entries) => {
                for (_, entry) in entries {
                    self.put_into_value(entry);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_replaced_wherever_they_are() {
        let served = ServedAddresses::new(&["http://127.0.0.1:1", "http://[::1]:2"]);
        let mut value = json!({
            "a": ["http://model-1.invalid/v1", 7, null],
            "b": { "c": "http://model-2.invalid http://model-21.invalid" },
        });
        served.put_into_value(&mut value);
        let expected = json!({
            "a": ["http://127.0.0.1:1/v1", 7, null],
            "b": { "c": "http://[::1]:2 http://model-21.invalid" },
        });
        assert_eq!(value, expected);
    }
}
