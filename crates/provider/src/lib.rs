//! What stands in for the provider of a model: a server on this machine that an agent's own code asks instead.
//!
//! Flows in: requests of any API of models, each to a `server`, which reads it by the API of its path and finds its `lane` by
//! `evidence`. Flows out: the answer that the lane's script gives (`matching`, `script_answer`, after `offered` has checked it
//! against the request), and [`ModelProblem`]s: what no model could have said, what nothing answers, and what nothing used. A
//! `mint` makes ids that name the lane, and come back in the next request. `embeddings` and `model_list` answer what is asked
//! beside the conversation. `environment` points the SDKs of an agent at the server, and
//! `hosted_models` are those of a config, each with a server of its own.
//!
//! **Invariant:** nothing is ever asked of a real provider; a request that nothing answers is an error, also if the agent hides
//! it; a request whose lane is not certain gets none.

mod embeddings;
mod environment;
mod evidence;
mod hosted_models;
mod lane;
mod lanes;
mod matching;
mod mint;
mod model_list;
mod model_server;
mod model_setup;
mod offered;
mod problem;
mod request_entry;
mod script_answer;
mod scripts;
mod stored_messages;

pub use environment::{NO_KEY, PROVIDER_KEYS, provider_environment};
pub use hosted_models::{HostedModel, HostedModels};
pub use lane::{Lane, LaneUse};
pub use lanes::{LanePermit, Lanes};
pub use model_server::{ModelListener, ModelServer, ServedModel};
pub use model_setup::{ModelEnvironment, ModelSetup, URL};
pub use problem::{ModelProblem, ModelProblemKind};
pub use request_entry::ModelRequestEntry;
pub use scripts::Scripts;
