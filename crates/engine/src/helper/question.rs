//! A question to a helper: one JSON object.

use serde_json::{Map, Value, json};

use super::helper_role::HelperRole;

/// A question to a helper.
#[derive(Clone, Debug, PartialEq)]
pub struct HelperQuestion {
    /// The role in which it is asked.
    pub role: HelperRole,
    /// The id of the test that it is asked for, if it is one.
    pub test_id: Option<String>,
    /// The keys of its role, and those that the test passes on.
    pub keys: Map<String, Value>,
    /// The model that is to answer, if the question names one.
    pub connector: Option<String>,
}

impl HelperQuestion {
    /// The keys of every question.
    pub const KEYS: [&str; 2] = ["test_mode", "test_id"];

    /// The whole question: the only message that the helper gets.
    pub fn body(&self) -> Value {
        let mut body = Map::new();
        body.insert("test_mode".to_owned(), self.role.test_mode().into());
        if let Some(test_id) = &self.test_id {
            body.insert("test_id".to_owned(), test_id.as_str().into());
        }
        body.extend(self.keys.clone());
        Value::Object(body)
    }

    /// The same for agents that look into what is passed on with a run.
    pub(super) fn props(&self) -> Map<String, Value> {
        let mut options =
            json!({ "skip": { "history": true, "trace": false }, "metadata": self.body() });
        if let Some(connector) = &self.connector {
            options["connector"] = connector.as_str().into();
        }
        Map::from_iter([("options".to_owned(), options)])
    }
}
