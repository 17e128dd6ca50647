//! Loads what a command selects.

use ananke::context::Context;
use ananke::plan::{Plan, Planned, Selection, plan};
use ananke::redact::Redactor;

use crate::cli::frame::{Colour, Failed, print_problems};

/// Loads what is selected, and prints the warnings to standard error. Without an error there is a plan, and what masks the secrets
/// in all that is shown of it.
///
/// # Errors
/// The problems, if one of them is an error.
pub(crate) fn load(
    selection: &Selection,
    colour: Colour,
    context: &Context,
) -> Result<(Plan, Redactor), Failed> {
    let Planned {
        plan,
        problems,
        redactor,
        ..
    } = plan(context, selection, &Redactor::default());
    let Some(plan) = plan else {
        return Err(Failed::Problems(problems, redactor));
    };
    print_problems(&problems, colour, context, &redactor);
    Ok((plan, redactor))
}
