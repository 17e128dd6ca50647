//! Whether output is coloured.

use ananke::context::Context;
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

/// Whether output that may go to a terminal is coloured: the flag, else `NO_COLOR` (no-color.org), else the terminal.
pub(super) fn is_coloured(choice: Colour, is_terminal: bool, context: &Context) -> bool {
    let set = |name| context.variable(name).is_some_and(|value| !value.is_empty());
    match choice {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => is_terminal && !set("NO_COLOR") && !is_dumb(context),
    }
}

/// Whether the terminal is one that only prints.
pub(super) fn is_dumb(context: &Context) -> bool {
    context.variable("TERM") == Some("dumb")
}
