//! The warnings about a request that asks a recorded one in another form.

use crate::lane_request::LaneRequest;
use crate::model_recording::RecordedModelCall;
use crate::problem::{ModelProblem, ModelProblemKind};
use ananke_base::text::{escape, truncate};

/// The most characters of parameters that a message shows.
const SHOWN_CHARS: usize = 160;

/// The warning about other parameters of sampling.
pub(crate) fn other_params(
    place: usize,
    call: &RecordedModelCall,
    asked: &LaneRequest<'_>,
) -> ModelProblem {
    let message = format!(
        "call {} was recorded with other parameters of sampling",
        place + 1
    );
    ModelProblem::new(ModelProblemKind::Params, message)
        .fact(format!("recorded: {}", params_of(&call.request.params)))
        .fact(format!("asked: {}", params_of(&asked.request.params)))
}

/// The parameters as a message shows them.
pub(crate) fn params_of(params: &serde_json::Map<String, serde_json::Value>) -> String {
    let params = serde_json::Value::Object(params.clone()).to_string();
    escape::line(&truncate::chars(&params, SHOWN_CHARS)).into_owned()
}

/// The warning about an answer that is sent in another form than it was recorded in.
pub(crate) fn other_form(
    place: usize,
    call: &RecordedModelCall,
    asked: &LaneRequest<'_>,
) -> ModelProblem {
    let mut forms = Vec::new();
    for (path, is_streamed) in [
        (call.path.as_str(), call.is_streamed),
        (asked.path, asked.is_streamed),
    ] {
        let form = if is_streamed { "streamed" } else { "whole" };
        forms.push(format!("{} ({form})", escape::line(path)));
    }
    let recorded = &forms[0];
    let asked = &forms[1];
    let message = format!(
        "call {} was recorded from {recorded} and is asked for at {asked}: the answer is made from its text and calls",
        place + 1
    );
    ModelProblem::new(ModelProblemKind::OtherForm, message)
}
