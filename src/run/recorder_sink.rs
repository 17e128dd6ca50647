//! The recorder follows the conversation, so that it notices a secret that an agent sends in pieces.

use crate::context::At;
use crate::engine::Observer;
use crate::message::Lane;
use crate::recording::Recorder;
use crate::trace::Change;

impl Observer for Recorder {
    fn change(&mut self, lane: &Lane, _: At, change: &Change<'_>) {
        self.observe(lane, change);
    }
}
