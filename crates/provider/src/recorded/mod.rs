//! The contents of recordings of models: what they must not have, and what differs from run to run.
//!
//! Flows in: calls on their way to a file, and calls that were read from one. A `masked_call` has no keys. `lane_values` put the
//! names of variables into a call, and the values of this run into an answer. `varying_texts` are the patterns of dates and the
//! like, which are offered for `ignore`. Flows out: calls as they are written, and answers as they are sent. A `recorded_time` is
//! the waiting that all lanes of an attempt share, and a `paced_response` may wait as long. `path_recordings` are the requests that
//! are no calls, and `form_warnings` are about answers that are asked for in another form.
//!
//! **Invariant:** no key is in a call that is written; nothing is ignored unless people have written so.

mod form_warnings;
mod lane_values;
mod masked_call;
mod paced_response;
mod path_recordings;
mod recorded_time;
mod varying_texts;

pub(crate) use form_warnings::{other_form, other_params, params_of};
pub(crate) use lane_values::LaneValues;
pub(crate) use masked_call::masked;
pub(crate) use paced_response::sent;
pub(crate) use path_recordings::{
    PathRecordings, PathRequest, SoughtPathRequest, response_of_path,
};
pub use recorded_time::RecordedTime;
pub(crate) use recorded_time::{frames_of, micros};
pub(crate) use varying_texts::offered_patterns;

/// The error of every request that is not recorded; the cause follows.
pub(crate) const NOT_RECORDED: &str = "the model was asked something that is not recorded";
