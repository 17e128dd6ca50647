//! Models behind an API: a request has the conversation so far, and the reply is read event by event. A model keeps nothing and
//! executes nothing, so that the client does both.
//!
//! `settings` are made of the keys that every target of this kind has, and `params` are the further keys of its requests. A
//! `target` opens sessions, whose `connection` sends a request and reads its response, and sends it again while the server rejects
//! it for now. `tool_loop` has the calls that the client executes, and `stream_words` the errors of what is no stream. `probe` has
//! the models that could be at a URL: `base_url` finds the address of an API, and `model_list` its models. `rounds` is the other
//! side: the turn of an agent as the answers of a model. A `model_wire` is an API as a provider speaks it, whose requests have
//! `prompt` in common; by a `served_model`, an agent answers them instead. An
//! `answer_reader` reads the answer of a provider back, by the reader that clients have.
//!
//! **Invariant:** each API has its own form of messages, calls and answers; nothing here knows one of them.

mod answer_reader;
mod base_url;
mod connection;
mod model_list;
mod model_wire;
mod params;
mod probe;
mod prompt;
mod rounds;
mod served_model;
mod settings;
mod stream_words;
mod target;
mod tool_loop;

pub use answer_reader::{executing_client, read_model_answer};
pub use base_url::ApiPath;
pub use connection::{ModelConnection, ModelReader, ModelReply};
pub use model_wire::{ModelApiError, ModelBody, ModelWire};
pub use params::{ModelParams, ReservedKeys};
pub use probe::{ModelProbe, ModelUrl};
pub use prompt::{
    PromptContent, call_arguments, hosted_tool, items_of, noted_params, offered_tool,
    output_schema, result_content,
};
pub use rounds::{OwnCallStep, OwnCalls, Round, RoundPart, round_of_request};
pub use served_model::{ServedModelRequest, ServedModelWire};
pub use settings::{ModelKeys, ModelSettings, request_body};
pub use stream_words::ModelStream;
pub use target::{ModelApi, ModelTarget};
pub use tool_loop::{AnsweredCalls, CallKeys, ToolLoop};
