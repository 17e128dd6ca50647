//! The frame in which every command runs: what ends it early, how that is printed, and what it waits with.
//!
//! The options of a command are `CommandOptions`, and what it returns as `Failed` is printed here, with its exit code. `print` writes
//! to the standard streams, escaped. `interrupt` has the runtime and the signals of work that waits, `runtime` the runtime of work
//! that is short.
//!
//! **Invariant:** nothing else writes to the standard streams: `clippy.toml` refuses every other writer; the second signal ends the
//! program whatever any thread does.

mod colour;
mod exit;
mod failed;
pub(crate) mod interrupt;
mod print;
mod print_problems;
mod runtime;

pub(crate) use colour::{Colour, colouring, is_dumb};
pub(crate) use exit::Exit;
pub(crate) use failed::{CommandOptions, Failed};
pub(crate) use interrupt::{Signals, StopSignal, interruptible, interruptible_at_terminal};
pub(crate) use print::{print, print_now, say, say_styled, streams, unless_gone};
pub(crate) use print_problems::{print_problems, print_problems_above};
pub(crate) use runtime::block_on;
