//! The frame of every command: its options run it, and what failed is printed.

use ananke::context::Context;

use super::colour::Colour;
use super::exit::Exit;
use super::failed::Failed;

/// The options of one command.
pub(super) trait CommandOptions {
    /// Does what the command is for.
    ///
    /// # Errors
    /// The reason that it ended early. What is to be printed after it, the command prints itself, with [`Failed::report`].
    fn run(&self, context: &Context) -> Result<Exit, Failed>;

    /// The colours of its problems.
    fn colour(&self) -> Colour {
        Colour::Auto
    }

    /// Runs the command, and prints what failed.
    fn execute(&self, context: &Context) -> Exit {
        self.run(context)
            .unwrap_or_else(|failed| failed.report(self.colour(), context))
    }
}
