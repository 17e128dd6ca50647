//! The server's side of an API of models: a server that replaces a provider reads requests and writes answers by it.

use super::rounds::Round;
use crate::served::ServedResponse;
use ananke_trace::trace::{ModelAnswer, ModelRequest};

/// An API of models as a provider speaks it.
pub trait ModelWire: Sync {
    /// The API in words, as in `a request of the Messages API`.
    fn name(&self) -> &'static str;

    /// The end of the path that requests are posted to: `/chat/completions`.
    fn path(&self) -> &'static str;

    /// The provider whose API it is, as configs name it.
    fn provider(&self) -> &'static str;

    /// Reads the body of a request. A reference to an item of an earlier answer, which only the provider knows, is a call without a
    /// tool and with the id of the item.
    ///
    /// # Errors
    /// The reason why the body is no request of this API, in words that follow the API's name.
    fn read(&self, body: &[u8]) -> Result<ModelBody, String>;

    /// The response with the answer in `round`, as a stream or as one document, as the request asks. `id` is its id without the
    /// prefix of the API; ids of its parts begin with it, too.
    fn answer(&self, body: &ModelBody, id: &str, round: &Round) -> ServedResponse;

    /// Reads an answer of the provider, streamed or not.
    ///
    /// # Errors
    /// The reason why it is no complete answer of this API.
    fn read_answer(&self, response: ServedResponse) -> Result<ModelAnswer, String>;

    /// The response with an error of the provider, before anything of the answer is sent.
    fn error(&self, error: &ModelApiError<'_>) -> ServedResponse;
}

/// The body of a request to a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelBody {
    /// The request, as all APIs have it. The conversation up to `previous` is not in it.
    pub request: ModelRequest,
    /// Whether the answer is asked for as a stream.
    pub is_streamed: bool,
    /// Whether the answer reports tokens.
    pub reports_usage: bool,
    /// The id of the earlier response that the conversation goes on from, if the request names one.
    pub previous: Option<String>,
}

/// An error of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelApiError<'e> {
    /// HTTP status.
    pub status: u16,
    /// The type of the error, by the word that all APIs have or that is the nearest: `invalid_request_error`.
    pub error_type: &'e str,
    /// The code for programs, if the API has one for it.
    pub code: Option<&'e str>,
    /// The message for people.
    pub message: &'e str,
}

impl<'e> ModelApiError<'e> {
    /// The error of a server that failed, which may have a code of its own.
    pub fn of_server(message: &'e str, code: Option<&'e str>) -> Self {
        Self {
            status: 500,
            error_type: "server_error",
            code,
            message,
        }
    }
}
