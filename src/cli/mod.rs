//! The command line: arguments and one file a command; talks to the library like any other user.

mod arguments;
mod check;
mod compare;
mod exit;
mod explain;
mod interrupt;
mod last_run;
mod list;
mod problems;
mod reports;
mod run;
mod schema;
mod servers;
mod snapshots;
mod style;

use ananke::context::Context;

pub(crate) use arguments::Arguments;
use arguments::Command;
use exit::Exit;

/// Carries out one command.
pub(crate) fn main(arguments: &Arguments, context: &Context) -> Exit {
    match &arguments.command {
        Command::Run(options) => run::run(options, context),
        Command::Check(options) => check::check(options, context),
        Command::Explain(options) => explain::explain(options, context),
        Command::Compare(options) => compare::compare(options, context),
        Command::List(options) => list::list(options, context),
        Command::Schema(options) => schema::schema(options),
    }
}
