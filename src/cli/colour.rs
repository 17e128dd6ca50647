//! Whether output is coloured.

use ananke::context::{Colouring, Context, OutputStream};
use clap::ValueEnum;

/// The option `--color`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Whether what is written to `stream` is coloured: the flag, else `NO_COLOR` (no-color.org), else the terminal.
pub(super) fn colouring(choice: Colour, stream: OutputStream, context: &Context) -> Colouring {
    let set = |name| context.variable(name).is_some_and(|value| !value.is_empty());
    let is_coloured = match choice {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => context.is_terminal(stream) && !set("NO_COLOR") && !is_dumb(context),
    };
    if is_coloured { Colouring::Coloured } else { Colouring::Plain }
}

/// Whether the terminal is one that only prints.
pub(super) fn is_dumb(context: &Context) -> bool {
    context.variable("TERM") == Some("dumb")
}
