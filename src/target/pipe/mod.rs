//! Programs that are spoken to in lines: the byte seam, and the real programs behind it.

mod child;
mod launcher;
#[expect(clippy::module_inception, reason = "the trait that the folder is about")]
mod pipe;

pub use launcher::ProgramLauncher;
pub use pipe::{Pipe, PipeLauncher, PipeNext, PipeProgram};
