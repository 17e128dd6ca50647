//! Recordings: what came from outside while a test ran, kept in files and replayed (SPEC 12).

mod diff;
mod environment;
mod error;
mod exchange;
mod file;
mod frames;
mod lane;
mod name;
mod recorder;
mod recordings;
mod replay;
mod secret_splitter;

pub use environment::Tape;
pub use error::RecordingError;
pub use lane::Lane;
pub use recorder::Recorder;
pub use recordings::{Mode, Recordings};
pub use replay::Player;
