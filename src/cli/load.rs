//! Loads what a command selects.

use ananke::context::Context;
use ananke::plan::{Plan, Planned, Selection, plan};
use ananke::redact::Redactor;

use super::colour::Colour;
use super::exit::Exit;
use super::print_problems::print_problems;

/// Loads what is selected and prints every problem to standard error. Without an error there is a plan, and what masks
/// the secrets in all that is shown of it.
pub(super) fn load(
    selection: &Selection,
    colour: Colour,
    context: &Context,
) -> Result<(Plan, Redactor), Exit> {
    let Planned {
        plan,
        problems,
        redactor,
        ..
    } = plan(context, selection, &Redactor::default());
    print_problems(&problems, colour, context, &redactor);
    Ok((plan.ok_or(Exit::Failure)?, redactor))
}
