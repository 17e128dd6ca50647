//! The fields that a server misses in a request, as `FastAPI` and `pydantic` list them in a response with the status 422.

use serde_json::{Map, Value};

use super::field_use::FieldUse;
use super::openapi::without_values;
use super::proposed_request::{ProposedContent, ProposedRequest};
use ananke_agents::TargetError;

/// Adds the fields to a request that its refusal names. `false` if the refusal names none.
///
/// # Errors
/// If a field is missing, and its name does not say what goes there.
pub(super) fn add_missing(
    request: &mut ProposedRequest,
    refusal: &Value,
) -> Result<bool, TargetError> {
    let mut unknown = Vec::new();
    let mut has_changed = false;
    for problem in refusal["detail"].as_array().into_iter().flatten() {
        // The second name is that of older versions of pydantic.
        let kind = problem["type"].as_str().unwrap_or_default();
        if kind != "missing" && kind != "value_error.missing" {
            continue;
        }
        let mut place = Vec::new();
        for part in problem["loc"].as_array().into_iter().flatten() {
            place.extend(part.as_str());
        }
        let [part, fields @ ..] = place.as_slice() else {
            continue;
        };
        let Some(name) = fields.last() else {
            continue;
        };
        // The refusal does not say whether the field is a text or a list, so that its name decides.
        let mut field_use = FieldUse::of_text(name);
        if field_use == FieldUse::Other {
            field_use = FieldUse::of_list(name);
        }
        let Some(value) = field_use.template() else {
            unknown.push(fields.join("."));
            continue;
        };
        if *part == "query" {
            let text = value.as_str().unwrap_or_default();
            request.query.push(((*name).to_owned(), text.to_owned()));
        } else {
            add(request, fields, value);
        }
        has_changed = true;
    }
    if !unknown.is_empty() {
        return Err(without_values(&unknown));
    }
    if has_changed {
        request.notes =
            vec!["Guess: from the names of the fields that the agent missed.".to_owned()];
    }
    Ok(has_changed)
}

/// Adds a field to the body. What was guessed before goes, since the server may refuse fields that it does not know.
fn add(request: &mut ProposedRequest, place: &[&str], value: Value) {
    let is_first_guess = request.notes.iter().any(|note| note == FIRST_GUESS);
    if is_first_guess {
        request.notes.clear();
        // A field that was sent as JSON and is missing all the same is expected in a form.
        if let ProposedContent::Json(Value::Object(keys)) = &request.content
            && place.len() == 1
            && keys.contains_key(place[0])
        {
            request.content = ProposedContent::Form(Vec::new());
        } else {
            request.content = ProposedContent::Json(Value::Object(Map::new()));
        }
    }
    match &mut request.content {
        ProposedContent::Form(fields) => {
            let text = value.as_str().unwrap_or_default().to_owned();
            fields.push((place.join("."), text));
        }
        ProposedContent::Json(body) => {
            let mut inner = body;
            for key in place {
                if !inner.is_object() {
                    *inner = Value::Object(Map::new());
                }
                inner = &mut inner[*key];
            }
            *inner = value;
        }
        ProposedContent::None | ProposedContent::Text(_) => {}
    }
}

/// The note of a body of which nothing says what it is.
pub(super) const FIRST_GUESS: &str = "Guess: nothing says in which field the user speaks.";

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn first_guess() -> ProposedRequest {
        let body = ProposedContent::Json(json!({ "message": "${INPUT}" }));
        let mut request = ProposedRequest::post(&"http://h/".parse().unwrap(), body);
        request.notes.push(FIRST_GUESS.to_owned());
        request
    }

    fn missing(places: &[&[&str]]) -> Value {
        let problems = places
            .iter()
            .map(|place| json!({ "type": "missing", "loc": place }));
        json!({ "detail": problems.collect::<Vec<_>>() })
    }

    #[test]
    fn a_refusal_says_what_a_request_has() {
        for (places, expected) in [
            (
                &[&["body", "question"][..], &["body", "user_id"]][..],
                ProposedContent::Json(json!({ "question": "${INPUT}", "user_id": "${THREAD_ID}" })),
            ),
            (
                &[&["body", "input", "text"]],
                ProposedContent::Json(json!({ "input": { "text": "${INPUT}" } })),
            ),
            (
                &[&["body", "messages"]],
                ProposedContent::Json(json!({ "messages": "${MESSAGES}" })),
            ),
            // It was sent as JSON, and is missing all the same.
            (
                &[&["body", "message"]],
                ProposedContent::Form(vec![("message".to_owned(), "${INPUT}".to_owned())]),
            ),
        ] {
            let mut request = first_guess();
            assert!(add_missing(&mut request, &missing(places)).unwrap());
            assert_eq!(request.content, expected);
        }
    }

    #[test]
    fn a_field_that_no_name_explains_is_an_error() {
        let refusal = missing(&[&["body", "message"], &["body", "tenant"]]);
        let error = add_missing(&mut first_guess(), &refusal).unwrap_err();
        assert!(error.message.contains("`tenant`"), "{error}");
        for refusal in [
            json!(7),
            json!({ "detail": "no" }),
            json!({ "detail": [{ "loc": [] }] }),
        ] {
            assert!(!add_missing(&mut first_guess(), &refusal).unwrap());
        }
    }
}
