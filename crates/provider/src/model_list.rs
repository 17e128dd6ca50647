//! The list of models, for clients that look at it before they ask one.

use serde::Serialize;
use serde_json::{Value, json};

/// The end of the path of the list.
const PATH: &str = "/models";

/// The name of the one model that is listed.
const MODEL: &str = "ananke";

/// A model in the list. It has the keys of all providers.
#[derive(Serialize)]
struct ListedModel<'n> {
    id: &'n str,
    object: &'static str,
    #[serde(rename = "type")]
    model_type: &'static str,
    display_name: &'n str,
    created: u64,
    created_at: &'static str,
    owned_by: &'static str,
}

impl<'n> ListedModel<'n> {
    fn named(name: &'n str) -> Self {
        Self {
            id: name,
            object: "model",
            model_type: "model",
            display_name: name,
            created: 0,
            created_at: "1970-01-01T00:00:00Z",
            owned_by: MODEL,
        }
    }
}

/// The answer to a request for the list of models or for one of them; `None` if the path is another one.
pub(crate) fn model_list(path: &str) -> Option<Value> {
    if path.ends_with(PATH) {
        let model = ListedModel::named(MODEL);
        return Some(json!({
            "object": "list",
            "data": [model],
            "has_more": false,
            "first_id": MODEL,
            "last_id": MODEL,
        }));
    }
    let (_, name) = path.split_once("/models/")?;
    // Every name is one of a model, since a script answers for all of them.
    Some(json!(ListedModel::named(name)))
}
