//! Models behind an API: a request has the conversation so far, and the reply is read event by event. A model keeps nothing and
//! executes nothing, so that the client does both.
//!
//! `exchange` is one request with its response, sent again while the server rejects it for now. `tool_loop` has the calls that
//! the client executes. `params` are the further keys of a request, and `base_url` finds its address and `model_list` its models. `rounds` is the other
//! side: the turn of an agent as the answers of a model.
//!
//! **Invariant:** each API has its own form of messages, calls and answers; nothing here knows one of them.

mod base_url;
mod exchange;
mod model_list;
mod params;
mod rounds;
mod tool_loop;

pub use base_url::url_of_api;
pub use exchange::{ModelExchange, ModelReader, ModelReply};
pub use model_list::{listed_models, url_beside};
pub use params::{ModelParams, params};
pub use rounds::{OwnCallStep, OwnCalls, Round, RoundPart, round_of_request};
pub use tool_loop::{AnsweredCalls, CallKeys, ToolLoop};
