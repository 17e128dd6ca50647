//! The Messages API as a provider speaks it.

use std::collections::BTreeMap;
use std::time::Duration;

use super::messages_answer::{ERROR_TYPE, MessagesAnswer, error_document};
use super::{messages_body, streamed};
use crate::message_stream_reader::MessageStreamReader;
use ananke_agents::{
    ModelApiError, ModelBody, ModelWire, OwnCalls, Round, ServedFrame, ServedModelWire,
    ServedResponse, executing_client, read_model_answer,
};
use ananke_base::context::SequentialIds;
use ananke_trace::trace::ModelAnswer;

/// The Messages API as a provider speaks it.
#[derive(Debug)]
pub(crate) struct MessagesWire;

impl ModelWire for MessagesWire {
    fn name(&self) -> &'static str {
        "the Messages API"
    }

    fn path(&self) -> &'static str {
        "/messages"
    }

    fn provider(&self) -> &'static str {
        "anthropic"
    }

    fn read(&self, body: &[u8]) -> Result<ModelBody, String> {
        messages_body::read(body)
    }

    fn answer(&self, body: &ModelBody, id: &str, round: &Round) -> ServedResponse {
        let answer = MessagesAnswer {
            id,
            model: &body.request.model,
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
        let mut server_calls = BTreeMap::new();
        let reader = MessageStreamReader::new(&ids, "", &mut tools, &mut server_calls);
        read_model_answer(&response, reader)
    }

    fn error(&self, error: &ModelApiError<'_>) -> ServedResponse {
        let error_type = match error.error_type {
            "server_error" => ERROR_TYPE,
            other => other,
        };
        let document = error_document(error_type, error.message);
        ServedResponse::document(error.status, Duration::ZERO, &document)
    }
}

impl ServedModelWire for MessagesWire {
    fn own_calls(&self) -> OwnCalls {
        OwnCalls::Shown
    }

    fn failure_frame(&self, message: &str) -> ServedFrame {
        let error = error_document(ERROR_TYPE, message);
        ServedFrame::named_event(Duration::ZERO, "error", error)
    }

    fn streamed(&self, response: ServedResponse) -> ServedResponse {
        response.streamed(streamed::events)
    }
}
