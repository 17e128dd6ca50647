//! Who follows a conversation while it goes on: a recorder, a live display.

use crate::context::At;
use crate::message::Lane;
use crate::target::Wire;
use crate::trace::Change;

/// Follows a conversation. It sees everything in the order in which it happened, before the trace and the rules do, each
/// time with the lane that talks.
pub trait Observer: Send {
    /// Bytes were sent or received.
    fn wire(&mut self, lane: &Lane, at: At, wire: Wire<'_>) {
        let _ = (lane, at, wire);
    }

    /// The bytes meant this.
    fn change(&mut self, lane: &Lane, at: At, change: &Change<'_>) {
        let _ = (lane, at, change);
    }
}
