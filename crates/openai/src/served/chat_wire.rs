//! Chat completions as a provider speaks them.

use std::time::Duration;

use super::chat_answer::{ChatAnswer, error_document};
use super::{chat_body, streamed};
use crate::reply_reader::ReplyReader;
use ananke_agents::{
    ModelApiError, ModelBody, ModelWire, OwnCalls, Round, ServedFrame, ServedModelWire,
    ServedResponse, executing_client, read_model_answer,
};
use ananke_base::context::SequentialIds;
use ananke_trace::trace::ModelAnswer;

/// Chat completions as a provider speaks them.
#[derive(Debug)]
pub(crate) struct ChatWire;

impl ModelWire for ChatWire {
    fn name(&self) -> &'static str {
        "chat completions"
    }

    fn path(&self) -> &'static str {
        "/chat/completions"
    }

    fn provider(&self) -> &'static str {
        "openai"
    }

    fn read(&self, body: &[u8]) -> Result<ModelBody, String> {
        chat_body::read(body)
    }

    fn answer(&self, body: &ModelBody, id: &str, round: &Round) -> ServedResponse {
        let answer = ChatAnswer {
            id,
            model: &body.request.model,
            reports_usage: body.reports_usage,
        };
        if body.is_streamed {
            answer.chunks(round)
        } else {
            answer.document(round)
        }
    }

    fn read_answer(&self, response: ServedResponse) -> Result<ModelAnswer, String> {
        let response = self.streamed(response);
        let ids = SequentialIds::default();
        let mut tools = executing_client();
        read_model_answer(&response, ReplyReader::new(&ids, "", &mut tools))
    }

    fn error(&self, error: &ModelApiError<'_>) -> ServedResponse {
        ServedResponse::document(error.status, Duration::ZERO, &error_document(error))
    }
}

impl ServedModelWire for ChatWire {
    fn own_calls(&self) -> OwnCalls {
        OwnCalls::Hidden
    }

    fn failure_frame(&self, message: &str) -> ServedFrame {
        let error = ModelApiError::of_server(message, None);
        ServedFrame::event(Duration::ZERO, error_document(&error))
    }

    fn streamed(&self, response: ServedResponse) -> ServedResponse {
        response.streamed(streamed::chunks)
    }
}
