//! The warning `near-value`: a prohibition found nothing, and a call is nearly what it looks for (SPEC 7.2).

use crate::describe::short;
use crate::evaluation::{CodedWarning, View};
use crate::select::Selector;
use ananke_base::diagnostic::Code;

/// The most calls that one rule warns of.
const MOST: usize = 5;

/// A warning for each call in the rule's scope that is nearly selected, though none is.
pub(crate) fn near_values(view: &View<'_>, selector: &Selector) -> Vec<CodedWarning> {
    let mut warnings = Vec::new();
    for index in view.calls() {
        let call = &view.trace.calls[index];
        let Some(reason) = selector.near_miss(call) else {
            continue;
        };
        let name = short(&call.name);
        let event = view.scope.event(view.trace, call.first_event);
        let words =
            format!("the call to `{name}` ({event}) is nearly what this rule looks for: {reason}");
        let code = Code::NearValue;
        warnings.push(CodedWarning { code, words });
        if warnings.len() == MOST {
            break;
        }
    }
    warnings
}
