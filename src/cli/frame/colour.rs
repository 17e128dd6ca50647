//! Whether output is coloured.

use clap::ValueEnum;

use ananke::context::{Colouring, Context, OutputStream};

/// The option `--color`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal, or if `FORCE_COLOR` or `CLICOLOR_FORCE` is set; never if `NO_COLOR` is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Whether what is written to `stream` is coloured: the flag, else `NO_COLOR` (no-color.org), else `FORCE_COLOR`
/// (force-color.org) and `CLICOLOR_FORCE` (bixense.com/clicolors), else the terminal.
pub(crate) fn colouring(choice: Colour, stream: OutputStream, context: &Context) -> Colouring {
    let set = |name| {
        context
            .variable(name)
            .is_some_and(|value| !value.is_empty())
    };
    let forced = |name| {
        context
            .variable(name)
            .map(|value| !matches!(value, "" | "0" | "false"))
    };
    let is_coloured = match choice {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto if set("NO_COLOR") => false,
        Colour::Auto => match forced("FORCE_COLOR") {
            Some(is_forced) => is_forced,
            None if forced("CLICOLOR_FORCE") == Some(true) => true,
            None => context.is_terminal(stream) && !is_dumb(context),
        },
    };
    if is_coloured {
        Colouring::Coloured
    } else {
        Colouring::Plain
    }
}

/// Whether the terminal is one that only prints.
pub(crate) fn is_dumb(context: &Context) -> bool {
    context.variable("TERM") == Some("dumb")
}
