//! Who follows a conversation while it goes on: a recorder, a live display.

use crate::context::At;
use crate::target::Wire;
use crate::trace::Change;

/// Follows a conversation. It sees everything in the order in which it happened, before the trace and the rules do.
pub trait Observer: Send {
    /// Bytes were sent or received.
    fn wire(&mut self, at: At, wire: Wire<'_>) {
        let _ = (at, wire);
    }

    /// The bytes meant this.
    fn change(&mut self, at: At, change: &Change<'_>) {
        let _ = (at, change);
    }
}
