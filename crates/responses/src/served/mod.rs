//! The Responses API as a server speaks it: a request has its whole conversation or names the response before, and the answer is
//! a list of items.
//!
//! A `responses_body` is read into a request to a model, and a `responses_answer` is made of a round of one, item by item
//! (`answer_items`); `responses_wire` has both, and the `stored_responses` that a later request may name. `streamed` is an answer
//! that was recorded as a document.
//!
//! **Invariant:** an answer says the same as a stream of events and as one document.

mod answer_items;
mod responses_answer;
mod responses_body;
mod responses_wire;
mod stored_responses;
mod streamed;

pub(super) use self::responses_wire::ResponsesWire;
use ananke_agents::{
    ModelApiError, ModelWire as _, ServedModelRequest, ServedModelWire as _, ServedProtocol,
    ServedRequest, ServedResponse,
};

/// The Responses API as a server speaks it.
#[derive(Debug)]
pub(super) struct ServedResponses;

impl ServedProtocol for ServedResponses {
    fn name(&self) -> &'static str {
        "the Responses API"
    }

    fn read(&self, body: &[u8]) -> Result<Box<dyn ServedRequest>, String> {
        Ok(Box::new(ServedModelRequest::read(&ResponsesWire, body)?))
    }

    /// A request that names a response which is not stored is meant for no other protocol.
    fn refusal(&self, body: &[u8], why: &str) -> Option<ServedResponse> {
        let previous = ResponsesWire.read(body).ok()?.previous?;
        if ResponsesWire.stored_actions(&previous).is_some() {
            return None;
        }
        Some(ResponsesWire.error(&ModelApiError {
            status: 400,
            error_type: "invalid_request_error",
            code: Some("previous_response_not_found"),
            message: why,
        }))
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
