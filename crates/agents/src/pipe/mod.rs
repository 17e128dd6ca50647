//! Programs that are spoken to in lines: the byte seam, its implementation by real programs, and responses whose events are
//! lines. Tests may share a program, one after the other (`shared_programs`), if its protocol can begin again (`sharing`).
//!
//! **Invariant:** tasks of their own write, read and stamp lines, so that a program that reads nothing delays nothing here;
//! when a program is over, nothing of its group is left.

mod child;
mod event_lines;
mod launcher;
#[expect(
    clippy::module_inception,
    reason = "the trait that the folder is about"
)]
mod pipe;
mod program_keeper;
mod shared_programs;
mod sharing;

pub use event_lines::{
    FRAMING_HELP, NO_RESPONSE, NOTHING_PRINTED, RequestOrder, is_framing, read_events,
};
pub use launcher::ProgramLauncher;
pub use pipe::{Pipe, PipeLauncher, PipeNext, PipeProgram, printed_in_turn};
pub use shared_programs::SharedPrograms;
pub use sharing::{LineArrival, LineDelivery, ProgramSharing, SharedConversations};
