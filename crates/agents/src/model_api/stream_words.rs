//! The errors of responses that are no stream of an API of models.

use crate::error::TargetError;
use crate::http::{BodyForm, ReceivedResponse};

/// The words of an API for its streams.
#[derive(Clone, Copy, Debug)]
pub struct ModelStream {
    /// The words of an error about a stream that ended although something is missing.
    pub cut: &'static str,
    /// One piece of a stream: `chunk`.
    pub piece: &'static str,
    /// The key of a response that was not streamed, as JSON has it.
    pub document: &'static str,
    /// The API with its article: `a model API`.
    pub api: &'static str,
}

impl ModelStream {
    /// The error of a response that ended although something is missing: what came instead of a stream, and how to fix it.
    pub fn unfinished(&self, response: &ReceivedResponse) -> TargetError {
        // Pieces did come, so that the server speaks the protocol, and only the end is missing.
        if response.events() > 0 {
            return response.broken_off(self.cut);
        }
        // Without any piece, the body shows the likely mistake, such as a response that was not streamed.
        let piece = self.piece;
        let (message, help) = match response.form() {
            BodyForm::JsonDocument if response.contains(self.document) => (
                "the server does not stream: the response is a JSON document".to_owned(),
                "switch streaming on in the server (it was asked for with `stream: true`), or wrap the agent in a program: `ananke init --for python`".to_owned(),
            ),
            BodyForm::JsonDocument => (
                format!("the response is a JSON document, not a stream of {piece}s"),
                "does the server support `stream: true`?".to_owned(),
            ),
            BodyForm::WebPage => (
                format!("the response is a web page, not a stream of {piece}s"),
                "is `endpoint` the address of the API?".to_owned(),
            ),
            BodyForm::Empty => (
                "the response is empty".to_owned(),
                "do the server's logs say why?".to_owned(),
            ),
            BodyForm::JsonLines | BodyForm::Other => (
                format!("the response contains no {piece}"),
                format!("is `endpoint` that of {}?", self.api),
            ),
        };
        response.error(message).with_help(help)
    }
}
