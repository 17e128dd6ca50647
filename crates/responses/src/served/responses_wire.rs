//! The Responses API as a provider speaks it.

use std::sync::Arc;
use std::time::Duration;

use super::responses_answer::{ResponsesAnswer, error_document, error_event};
use super::stored_responses::STORED;
use super::{responses_body, streamed};
use crate::response_reader::ResponseReader;
use ananke_agents::{
    Action, ModelApiError, ModelBody, ModelWire, OwnCalls, Round, ServedFrame, ServedModelWire,
    ServedResponse, executing_client, read_model_answer,
};
use ananke_base::context::SequentialIds;
use ananke_trace::trace::ModelAnswer;

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

    fn provider(&self) -> &'static str {
        "openai"
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

    fn read_answer(&self, response: ServedResponse) -> Result<ModelAnswer, String> {
        let response = self.streamed(response);
        let ids = SequentialIds::default();
        let mut tools = executing_client();
        let mut approved = Vec::new();
        let reader = ResponseReader::new(&ids, "", &mut tools, &mut approved);
        read_model_answer(&response, reader)
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
