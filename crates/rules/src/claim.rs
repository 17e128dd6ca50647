//! Claims: what a rule demands or rules out, whatever the agent does.
//!
//! Rules make claims, [`lint`](super::lint) compares them; so a new rule is linted by what it claims alone.

use super::select::{Selector, ToolName, WrittenName};
use super::text::{ComparedText, Needle};

/// Something that a rule demands or rules out.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Claim<'r> {
    /// So many selected calls must come.
    Requires {
        /// The selected calls.
        selector: &'r Selector,
        /// The least number of them.
        min: u64,
        /// The tool that has to be called before each of them.
        after: Option<&'r str>,
    },
    /// Any number of calls of these tools will do, none too.
    RequiresNothing(&'r ToolName),
    /// A call or a result must come, as a step of a sequence.
    Step {
        /// The selected calls.
        selector: &'r Selector,
        /// Whether their result is the step.
        is_result: bool,
    },
    /// These calls, or their results, trigger the rule; without one it passes.
    TriggeredBy {
        /// The tool.
        name: &'r ToolName,
        /// The calls to it that trigger the rule, unless all do.
        selector: Option<&'r Selector>,
        /// Whether their result is the trigger.
        is_result: bool,
    },
    /// The trigger, a result of this tool, always comes after something that the rule requires.
    AlwaysPreceded(&'r ToolName),
    /// The tool must not be called.
    ForbidsTool(&'r str),
    /// The selected calls must not come.
    ForbidsCalls(&'r Selector),
    /// No other tools may be called.
    AllowsOnly(&'r [WrittenName]),
    /// There may be at most so many calls.
    LimitsCalls(u64),
    /// The agent's text must contain this.
    Says(&'r Needle),
    /// The agent's text must not contain this.
    NeverSays(&'r Needle),
    /// The agent's text must be one of these.
    SaysOneOf(&'r [String], ComparedText),
}
