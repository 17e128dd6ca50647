//! Loads what a command selects.

use ananke::context::Context;
use ananke::plan::{Plan, Planned, Selection, plan};
use ananke::project::Variables;
use ananke::redact::Redactor;

use super::exit::Exit;
use super::print_problems::print_problems;
use super::selection_options::SelectionOptions;

/// What a command loads for.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a question of its own")]
pub(super) struct Purpose {
    /// Whether something will be sent.
    pub(super) sends: bool,
    /// Whether a warning is an error.
    pub(super) deny_warnings: bool,
    /// Whether hooks are left out.
    pub(super) without_hooks: bool,
    /// Whether everything is only looked at.
    pub(super) checks: bool,
    /// Whether each attempt of a test must have a thread of its own.
    pub(super) new_threads: bool,
}

/// Loads what is selected and prints every problem to standard error. Without an error there is a plan, and what masks
/// the secrets in all that is shown of it.
pub(super) fn load(
    options: &SelectionOptions,
    purpose: Purpose,
    context: &Context,
) -> Result<(Plan, Redactor), Exit> {
    let selection = selection(options, purpose);
    let Planned { plan, problems, redactor } = plan(context, &selection, &Redactor::default());
    print_problems(&problems, options.color, context, &redactor);
    Ok((plan.ok_or(Exit::Failure)?, redactor))
}

/// What is selected, and what for.
pub(super) fn selection(options: &SelectionOptions, purpose: Purpose) -> Selection {
    Selection {
        paths: options.paths.clone(),
        config: options.config.clone(),
        target: options.target.clone(),
        filter: options.filter.clone(),
        tags: options.tags.clone(),
        ids: options.ids.clone(),
        allow_empty: options.allow_empty,
        sends: purpose.sends,
        deny_warnings: purpose.deny_warnings,
        checks: purpose.checks,
        new_threads: purpose.new_threads,
        variables: Variables {
            given: options.variables.iter().cloned().collect(),
            without_hooks: purpose.without_hooks,
            ..Variables::default()
        },
    }
}
