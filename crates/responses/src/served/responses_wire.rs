//! The Responses API as a provider speaks it.

use std::sync::Arc;
use std::time::Duration;

use super::responses_answer::{ResponsesAnswer, error_document, error_event};
use super::stored_responses::STORED;
use super::{responses_body, streamed};
use ananke_agents::{
    Action, ModelApiError, ModelBody, ModelWire, OwnCalls, Round, ServedFrame, ServedModelWire,
    ServedResponse,
};

/// The Responses API as a provider speaks it.
#[derive(Debug)]
pub(crate) struct ResponsesWire;

impl ModelWire for ResponsesWire {
    fn name(&self) -> &'static str {
        "the Responses API"
    }

    fn path(&self) -> &'static str {
        "/responses"
    }

    fn read(&self, body: &[u8]) -> Result<ModelBody, String> {
        responses_body::read(body)
    }

    fn answer(&self, body: &ModelBody, id: &str, round: &Round) -> ServedResponse {
        let answer = ResponsesAnswer {
            id,
            model: &body.request.model,
            previous: body.previous.as_deref(),
        };
        if body.is_streamed {
            answer.events(round)
        } else {
            answer.document(round)
        }
    }

    fn error(&self, error: &ModelApiError<'_>) -> ServedResponse {
        ServedResponse::document(error.status, Duration::ZERO, &error_document(error))
    }
}

impl ServedModelWire for ResponsesWire {
    fn own_calls(&self) -> OwnCalls {
        OwnCalls::Shown
    }

    fn failure_frame(&self, message: &str) -> ServedFrame {
        ServedFrame::named_event(Duration::ZERO, "error", error_event(message, None))
    }

    fn streamed(&self, response: ServedResponse) -> ServedResponse {
        response.streamed(streamed::events)
    }

    fn stored_actions(&self, id: &str) -> Option<Arc<[Action]>> {
        STORED.actions(id)
    }

    fn store(&self, response: &ServedResponse, actions: &Arc<[Action]>) {
        if let Some(id) = streamed::id_of_response(response) {
            STORED.store(&id, Arc::clone(actions));
        }
    }
}
