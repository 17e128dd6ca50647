//! The replacement of the provider of a model: a server on this machine that an agent's own code asks instead.
//!
//! Flows in: requests of any API of models, each to a `server`, which reads it by the API of its path and finds its `lane` by
//! `evidence`. Flows out: the answer that the lane's script gives (`matching`, `round_answer`, after `offered` has checked it
//! against the request), and [`ModelProblem`]s: what no model could have said, what nothing answers, and what nothing used. A
//! `mint` makes ids that name the lane, and come back in the next request.
//!
//! The room `control` lets programs set and read lanes while they are served.
//!
//! A lane may have recordings instead of a script (`lane_recording`): a `model_recording` is the file of one, whose calls answer
//! the requests that ask the same (`compared_request`) with the ids of the lane (`adopted_response`). A `request_difference` is
//! what else a request asks. `lane_paths` are the requests that are no calls. An `upstream` is the provider that they are recorded
//! from; what is `recorded` has none of the `provider_keys`. A `recording_folder` has a file for each lane. The room `project` checks
//! those of a project without a run.
//!
//! `embeddings` and `model_list` answer what is asked in addition to the conversation. `environment` points the SDKs of an agent
//! at the server, and `hosted_models` are those of a config, each with a server of its own.
//!
//! **Invariant:** a real provider is asked only while it is recorded; a request that nothing answers is an error, also if the
//! agent hides it; a request whose lane is not certain gets none.

mod adopted_response;
mod compared_request;
mod compiled_script;
mod control;
mod embeddings;
mod environment;
mod evidence;
mod file_scripts;
mod hosted_models;
mod lane_paths;
mod lane_recording;
mod lane_request;
mod matching;
mod mint;
mod model_lane;
mod model_lanes;
mod model_list;
mod model_recording;
mod model_server;
mod model_setup;
mod offered;
mod problem;
mod project;
mod provider_keys;
mod recorded;
mod recording_folder;
#[cfg(test)]
mod replay_tests;
mod request_difference;
mod round_answer;
mod run_recordings;
mod stored_messages;
mod upstream;

pub use compiled_script::{
    AnswerTokens, CompiledModelReply, CompiledModelRule, CompiledModelScript, CompiledModelStep,
    ModelCondition,
};
pub use control::{ControlledServer, KeptRequests};
pub use environment::{NO_KEY, PROVIDER_KEYS, provider_environment};
pub use file_scripts::FileScripts;
pub use hosted_models::{HostedModel, HostedModels};
pub use lane_recording::{RecordingSetup, RecordingUse};
pub use lane_request::ModelRequestEntry;
pub use model_lane::{LaneSource, LaneUse, ModelLane};
pub use model_lanes::{LaneOpener, LanePermit, ModelLanes, TurnWaits};
pub use model_recording::ModelRecording;
pub use model_server::{ModelListener, ModelServer, ServedModel};
pub use model_setup::{ModelEnvironment, ModelSetup, URL};
pub use offered::quoted;
pub use problem::{ModelProblem, ModelProblemKind};
pub use project::{CheckedRecordings, RecordedProject};
pub use recorded::RecordedTime;
pub use recording_folder::RecordingFolder;
pub use run_recordings::RunRecordings;
pub use upstream::{Upstream, Upstreams};
