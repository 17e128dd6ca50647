//! The list of models that most APIs of models have, at a path of its own.

use serde_json::Value;
use url::Url;

use crate::http::below;

/// The URL of the path `name` of the API of which `url` is the base, or one of its `paths`.
pub(super) fn url_beside(url: &Url, paths: &[&str], name: &str) -> Url {
    let mut base = url.clone();
    let path = url.path().trim_end_matches('/');
    let mut ends = paths.iter();
    let path = ends.find_map(|end| path.strip_suffix(end)).unwrap_or(path);
    base.set_path(path);
    below(&base, [name].into_iter()).unwrap_or(base)
}

/// The names in an answer to a request for the list; `None` if it is not such an answer.
pub(super) fn listed_models(status: u16, answer: &Value) -> Option<Vec<String>> {
    if status != 200 {
        return None;
    }
    // An entry without an id is no list of models, because other APIs have a list under `data` as well.
    let mut ids = Vec::new();
    for model in answer.get("data")?.as_array()? {
        ids.push(model.get("id")?.as_str()?.to_owned());
    }
    Some(ids)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_list_is_beside_the_requests() {
        let paths = ["chat/completions", "responses", "messages"];
        for url in [
            "http://h/v1",
            "http://h/v1/",
            "http://h/v1/chat/completions",
            "http://h/v1/responses?key=x",
            "http://h/v1/messages",
        ] {
            let models = url_beside(&url.parse().unwrap(), &paths, "models");
            assert_eq!(models.path(), "/v1/models", "{url}");
        }
    }

    #[test]
    fn a_list_has_the_ids_of_models() {
        let list = json!({ "object": "list", "data": [{ "id": "a" }, { "id": "b" }] });
        assert_eq!(
            listed_models(200, &list),
            Some(vec!["a".to_owned(), "b".to_owned()])
        );
        assert_eq!(listed_models(404, &list), None);
        assert_eq!(listed_models(200, &json!({ "data": [7] })), None);
    }
}
