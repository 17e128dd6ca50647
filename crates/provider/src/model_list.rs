//! The list of models, for clients that look at it before they ask one.

use serde_json::{Value, json};

/// The end of the path of the list.
const PATH: &str = "/models";

/// The name of the one model that is listed.
const MODEL: &str = "ananke";

/// The answer to a request for the list of models or for one of them; `None` if the path is another one. It has the keys of all
/// providers.
pub(crate) fn model_list(path: &str) -> Option<Value> {
    if path.ends_with(PATH) {
        let model = model(MODEL);
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
    Some(model(name))
}

fn model(name: &str) -> Value {
    json!({
        "id": name,
        "object": "model",
        "type": "model",
        "display_name": name,
        "created": 0,
        "created_at": "1970-01-01T00:00:00Z",
        "owned_by": MODEL,
    })
}
