//! Rules of lists that exclude each other, and requirements that require nothing.

use std::collections::HashMap;

use super::{Homed, Surroundings};
use crate::assertion::{Counted, Entry, Home, Required, Rule, Selector, TurnRules};
use crate::diagnostic::{Code, Diagnostic};

/// The prohibitions of a test, by what they are about.
#[derive(Default)]
struct Prohibitions<'e> {
    /// By the tool's name; without a selector every call of it is meant.
    calls: HashMap<&'e str, Vec<(Homed<'e>, Option<&'e Selector>)>>,
}

pub(super) fn lint(
    all: &[Homed<'_>],
    turns: &[TurnRules],
    surroundings: &Surroundings<'_>,
    found: &mut Vec<Diagnostic>,
) {
    let prohibitions = Prohibitions::of(all);
    for homed @ (_, entry) in all.iter().copied() {
        match &entry.rule {
            Rule::Require(required) => {
                found.extend(prohibitions.against(required, homed, turns, surroundings));
                found.extend(requires_nothing(required, entry, surroundings));
            }
            Rule::Forbid(_)
            | Rule::ForbidCall(_)
            | Rule::MustMatch(_)
            | Rule::MustNotMatch(_)
            | Rule::Equals(_)
            | Rule::Output(_)
            | Rule::State(_)
            | Rule::Outcome(_)
            | Rule::Snapshot(_) => {}
        }
    }
}

impl<'e> Prohibitions<'e> {
    fn of(all: &[Homed<'e>]) -> Self {
        let mut prohibitions = Self::default();
        for homed @ (_, entry) in all {
            match &entry.rule {
                Rule::Forbid(rule) => {
                    prohibitions.calls.entry(&rule.name).or_default().push((*homed, None));
                }
                Rule::ForbidCall(rule) => {
                    let calls = prohibitions.calls.entry(&rule.selector.name).or_default();
                    calls.push((*homed, Some(&rule.selector)));
                }
                Rule::Require(_)
                | Rule::MustMatch(_)
                | Rule::MustNotMatch(_)
                | Rule::Equals(_)
                | Rule::Output(_)
                | Rule::State(_)
                | Rule::Outcome(_)
                | Rule::Snapshot(_) => {}
            }
        }
        prohibitions
    }

    /// What forbids the calls that `required` needs.
    fn against(
        &self,
        required: &Required,
        (home, entry): Homed<'e>,
        turns: &[TurnRules],
        surroundings: &Surroundings<'_>,
    ) -> Option<Diagnostic> {
        // A requirement that no call is needed for is met by none.
        if required.count.min == 0 {
            return None;
        }
        let name = required.selector.name.as_str();
        let selected = self.calls.get(name).into_iter().flatten().find(|((forbidden, _), selector)| {
            meet(*forbidden, home, turns)
                && selector.is_none_or(|selector| forbids_all(selector, &required.selector))
        });
        if let Some(((forbidden, prohibition), _)) = selected {
            // What a turn requires may have begun in a turn before it; what it forbids begins in it (SPEC 6).
            let message = match (home, forbidden) {
                (Home::Turn(index), Home::Turn(_)) if index > 0 => format!(
                    "`{name}` is required and forbidden on turn {}: at best a call of an earlier turn that is \
                     answered in this one can pass",
                    index + 1
                ),
                _ => format!("`{name}` is required and forbidden: the test can never pass"),
            };
            return Some(forbidden_requirement(message, entry, prohibition, surroundings));
        }
        let after = required.after.as_deref()?;
        let earlier = self.calls.get(after).into_iter().flatten().find(|((forbidden, _), selector)| {
            meet(*forbidden, home, turns)
                && (*forbidden == Home::Test || turns.len() == 1)
                && selector.is_none_or(|selector| selector.args.is_empty() && selector.result.is_none())
        });
        earlier.map(|((_, prohibition), _)| {
            let message =
                format!("`{name}` is required after `{after}`, which is forbidden: the test can never pass");
            forbidden_requirement(message, entry, prohibition, surroundings)
        })
    }
}

/// Whether what is forbidden at one home is in force on all that an obligation of the other home sees.
pub(super) fn meet(forbidden: Home, owed: Home, turns: &[TurnRules]) -> bool {
    // What is told again is the business of its own turn alone.
    let alone =
        |home: Home| matches!(home, Home::Turn(turn) if turns.get(turn).is_some_and(|turn| turn.is_replay));
    forbidden == owed || (forbidden == Home::Test || turns.len() == 1) && !alone(forbidden) && !alone(owed)
}

/// Whether every call that `required` selects is one that `forbidden` selects.
fn forbids_all(forbidden: &Selector, required: &Selector) -> bool {
    let same_result = forbidden.result.is_none() || forbidden.result == required.result;
    same_result && required.args.include(&forbidden.args)
}

fn forbidden_requirement(
    message: String,
    required: &Entry,
    forbidden: &Entry,
    surroundings: &Surroundings<'_>,
) -> Diagnostic {
    let places = ((&required.origin, "required here"), (&forbidden.origin, "forbidden"));
    surroundings
        .warning(Code::ForbiddenRequirement, message, places.0, places.1)
        .help("drop one of the two, or forbid the tool on those turns alone that must not call it")
}

fn requires_nothing(
    required: &Required,
    entry: &Entry,
    surroundings: &Surroundings<'_>,
) -> Option<Diagnostic> {
    let Required { count, count_written, result_not_match, after, .. } = required;
    let is_empty =
        *count == Counted::ANY && count_written.is_none() && result_not_match.is_none() && after.is_none();
    is_empty.then(|| {
        let name = &required.selector.name;
        let message =
            format!("this entry requires nothing of `{name}`: any number of calls is enough, none too");
        Diagnostic::warning(Code::RequiresNothing, message)
            .at(surroundings.source(&entry.origin), entry.origin.span, "")
            .help("give `count` a `min` above 0 or a `max`, or drop the entry")
    })
}
