//! The Responses API as a server speaks it: a request has its whole conversation or names the response before, and the answer is
//! a list of items.
//!
//! **Invariant:** an answer says the same as a stream of events and as one document.

mod answer_items;
mod responses_answer;
mod responses_input;
mod stored_responses;
mod streamed;

use self::responses_answer::not_found;
use self::responses_input::{ResponsesInput, names_unknown_response};
use ananke_agents::{ServedProtocol, ServedRequest, ServedResponse};

/// The Responses API as a server speaks it.
#[derive(Debug)]
pub(super) struct ServedResponses;

impl ServedProtocol for ServedResponses {
    fn name(&self) -> &'static str {
        "the Responses API"
    }

    fn read(&self, body: &[u8]) -> Result<Box<dyn ServedRequest>, String> {
        let request = ResponsesInput::read(body)?;
        Ok(Box::new(request))
    }

    fn refusal(&self, body: &[u8], why: &str) -> Option<ServedResponse> {
        if names_unknown_response(body) {
            Some(not_found(why))
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn refusal(body: &Value) -> Option<(u16, Value)> {
        let body = body.to_string();
        let why = ServedResponses.read(body.as_bytes()).err()?;
        let response = ServedResponses.refusal(body.as_bytes(), &why)?;
        let error = serde_json::from_slice(&response.frames[0].bytes).unwrap();
        Some((response.status, error))
    }

    #[test]
    fn an_unknown_response_is_refused_as_the_api_does() {
        let body = json!({ "model": "m", "input": "Hi", "previous_response_id": "resp_none" });
        let (status, error) = refusal(&body).unwrap();
        assert_eq!(status, 400);
        assert_eq!(error["error"]["code"], "previous_response_not_found");
        assert_eq!(
            error["error"]["message"],
            "the response `resp_none` is not stored here"
        );
    }

    #[test]
    fn a_body_of_another_protocol_is_not_refused() {
        assert_eq!(refusal(&json!({ "model": "m", "messages": [] })), None);
        assert_eq!(refusal(&json!([])), None);
    }
}
