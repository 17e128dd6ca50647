//! The recorder follows the conversation, so that it notices a secret that an agent sends in pieces.

use crate::Observer;
use ananke_base::context::At;
use ananke_base::message::Lane;
use ananke_recording::Recorder;
use ananke_trace::trace::Change;

impl Observer for Recorder {
    fn change(&mut self, lane: &Lane, _: At, change: &Change<'_>) {
        self.observe(lane, change);
    }
}
