//! The requests of a lane that are no calls to a model, from its recordings or from the provider. Each of them has a lane, and none
//! is among the calls that rules see.

use std::sync::Arc;
use std::time::Duration;

use crate::lane_recording::{LaneRecording, LiveCall, RecordingUse};
use crate::problem::ModelProblem;
use crate::recorded::{PathRequest, SoughtPathRequest, micros, response_of_path};
use ananke_agents::ServedResponse;
use ananke_base::text::escape;
use ananke_model::model::ModelPace;

/// The source of the response to a request that is no call.
pub(crate) enum PathRequestStep {
    /// A recorded request, with its number.
    Recorded(usize, Arc<ServedResponse>, ModelPace),
    /// The provider.
    Live(Box<LivePathRequest>),
}

/// A request that is no call, on its way to the provider.
pub(crate) struct LivePathRequest {
    pub(crate) live: LiveCall,
    sought: SoughtPathRequest,
    fingerprint: String,
}

impl LaneRecording {
    /// The source of the response to a request that is no call, and the waiting that passes with it.
    ///
    /// # Errors
    /// If nothing is recorded for it and nothing may be asked.
    pub(crate) fn path_step(
        &mut self,
        asked: &PathRequest<'_>,
        lane: &str,
    ) -> Result<(PathRequestStep, Duration), ModelProblem> {
        let sought = SoughtPathRequest::of(asked, &self.values, &self.setup.secrets);
        if let Some((number, found)) = self.paths.take(&sought) {
            let (passed, takes) = self.waiting(found.at_us, found.took_us);
            let response = response_of_path(&found, takes);
            if self.setup.usage == RecordingUse::RecordMissing {
                self.paths.reserve(Some(found));
            }
            let step = PathRequestStep::Recorded(number, response, self.setup.pace);
            return Ok((step, passed));
        }
        let shown = sought.shown();
        if self.setup.usage == RecordingUse::Replay {
            let lane = escape::line(lane);
            let problem = if self.setup.recording.is_none() {
                self.no_recording(format!("{shown} of `{lane}`"))
            } else {
                let problem = self
                    .paths
                    .miss(&sought)
                    .fact(format!("{shown} of `{lane}`"));
                problem.help(self.help())
            };
            return Err(problem);
        }
        let upstream = self.upstream(asked.provider, &shown)?;
        let fingerprint = sought.fingerprint();
        self.unanswered.push(fingerprint.clone());
        let place = self.paths.reserve(None);
        let live = LivePathRequest {
            live: self.live_call(place, upstream, asked.body),
            sought,
            fingerprint,
        };
        Ok((PathRequestStep::Live(Box::new(live)), Duration::ZERO))
    }

    /// Keeps the response of the provider to a request that is no call.
    pub(crate) fn keep_path(&mut self, asked: &LivePathRequest, response: &ServedResponse) {
        self.unanswered.retain(|open| *open != asked.fingerprint);
        self.live += 1;
        let live = &asked.live;
        let (mut request, has_secret) = asked.sought.answered(response, &self.setup.secrets);
        request.at_us = live.at_us;
        request.took_us = micros(live.clock.now().since(live.asked_at));
        if has_secret && self.setup.usage != RecordingUse::Live {
            self.masked.push(format!("request {}", live.place + 1));
        }
        self.paths.keep(live.place, request);
    }
}
