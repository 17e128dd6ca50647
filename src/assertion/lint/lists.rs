//! Rules of lists that exclude each other, and requirements that require nothing.

use std::collections::HashMap;

use super::{Homed, Surroundings};
use crate::assertion::inherit::{Inherited, TurnRules};
use crate::assertion::judge::Home;
use crate::assertion::rule::{Entry, Rule};
use crate::assertion::select::{Selector, ToolName};
use crate::assertion::sequence::{Sequence, Wants};
use crate::assertion::tools::AllowOnly;
use crate::assertion::tools::require::Required;
use crate::diagnostic::{Code, Diagnostic};

/// Calls that are forbidden somewhere.
#[derive(Clone, Copy)]
struct ForbiddenCalls<'e> {
    homed: Homed<'e>,
    /// Which of them; without it every call of the tool.
    selector: Option<&'e Selector>,
}

/// The prohibitions of a test, by what they are about.
#[derive(Default)]
struct Prohibitions<'e> {
    /// Of one tool, by its name.
    by_name: HashMap<&'e str, Vec<ForbiddenCalls<'e>>>,
    /// Of all tools whose names match.
    by_pattern: Vec<ForbiddenCalls<'e>>,
    /// Those that name the tools that are allowed.
    allowed: Vec<(Homed<'e>, &'e AllowOnly)>,
}

pub(super) fn lint(
    all: &[Homed<'_>],
    merged: &Inherited,
    surroundings: &Surroundings<'_>,
    found: &mut Vec<Diagnostic>,
) {
    let prohibitions = Prohibitions::of(all);
    for homed @ (_, entry) in all.iter().copied() {
        match &entry.rule {
            Rule::Require(required) => {
                found.extend(prohibitions.against(required, homed, merged, surroundings));
                found.extend(requires_nothing(required, entry, surroundings));
            }
            Rule::Sequence(sequence) => {
                found.extend(prohibitions.against_steps(sequence, homed, merged, surroundings));
            }
            Rule::Forbid(_)
            | Rule::ForbidCall(_)
            | Rule::AllowOnly(_)
            | Rule::MaxCalls(_)
            | Rule::MustMatch(_)
            | Rule::MustNotMatch(_)
            | Rule::Equals(_)
            | Rule::Output(_)
            | Rule::State(_)
            | Rule::Outcome(_)
            | Rule::Snapshot(_)
            | Rule::Script(_) => {}
        }
    }
}

impl<'e> Prohibitions<'e> {
    fn of(all: &[Homed<'e>]) -> Self {
        let mut prohibitions = Self::default();
        for homed @ (_, entry) in all {
            match &entry.rule {
                Rule::Forbid(rule) => {
                    let calls = prohibitions.by_name.entry(&rule.name).or_default();
                    calls.push(ForbiddenCalls { homed: *homed, selector: None });
                }
                Rule::ForbidCall(rule) => {
                    let calls = ForbiddenCalls { homed: *homed, selector: Some(&rule.selector) };
                    match &rule.selector.name {
                        ToolName::Exact(name) => prohibitions.by_name.entry(name).or_default().push(calls),
                        ToolName::Matching(_) => prohibitions.by_pattern.push(calls),
                    }
                }
                Rule::AllowOnly(rule) => prohibitions.allowed.push((*homed, rule)),
                Rule::Require(_)
                | Rule::MaxCalls(_)
                | Rule::MustMatch(_)
                | Rule::MustNotMatch(_)
                | Rule::Equals(_)
                | Rule::Sequence(_)
                | Rule::Output(_)
                | Rule::State(_)
                | Rule::Outcome(_)
                | Rule::Snapshot(_)
                | Rule::Script(_) => {}
            }
        }
        prohibitions
    }

    /// What forbids the calls that `required` needs.
    fn against(
        &self,
        required: &Required,
        homed @ (home, entry): Homed<'e>,
        merged: &Inherited,
        surroundings: &Surroundings<'_>,
    ) -> Option<Diagnostic> {
        // A requirement that no call is needed for is met by none.
        if required.count.min == 0 {
            return None;
        }
        let name = required.selector.name.describe();
        if let Some((forbidden, prohibition)) = self.forbidding(&required.selector, homed, merged) {
            let message = never(&format!("{name} is required and forbidden"), home, forbidden);
            return Some(forbidden_requirement(message, entry, prohibition, surroundings));
        }
        if let Some((forbidden, prohibition)) = self.not_allowed(&required.selector.name, homed, merged) {
            let message =
                never(&format!("{name} is required, and `allow_only` leaves it out"), home, forbidden);
            return Some(forbidden_requirement(message, entry, prohibition, surroundings));
        }
        let after = required.after.as_ref().or(required.after_result.as_ref())?;
        let after_name = ToolName::Exact(after.clone());
        let is_everywhere = |(forbidden, rule): Homed<'_>| {
            (forbidden == Home::Test || merged.turns.len() == 1)
                && (home != Home::Test || !merged.turns.iter().any(|turn| turn.leaves_out(rule)))
        };
        let earlier = self.about(&after_name).find(|calls| {
            let is_any = |selector: &Selector| selector.args.is_empty() && selector.result.is_empty();
            meet(calls.homed, homed, merged)
                && is_everywhere(calls.homed)
                && calls.selector.is_none_or(is_any)
        });
        let earlier = earlier.map(|calls| calls.homed).or_else(|| {
            self.not_allowed(&after_name, homed, merged).filter(|prohibition| is_everywhere(*prohibition))
        });
        earlier.map(|(_, prohibition)| {
            let message =
                format!("{name} is required after `{after}`, which is forbidden: the test can never pass");
            forbidden_requirement(message, entry, prohibition, surroundings)
        })
    }

    /// What forbids the calls that the steps of a sequence need; told of the first of them.
    fn against_steps(
        &self,
        sequence: &Sequence,
        homed @ (home, entry): Homed<'e>,
        merged: &Inherited,
        surroundings: &Surroundings<'_>,
    ) -> Option<Diagnostic> {
        sequence.owed().find_map(|step| {
            let (selector, is_result) = match &step.wants {
                Wants::Call(selector) => (selector, false),
                Wants::Result(selector) => (selector, true),
                Wants::Message { .. } => return None,
            };
            let name = selector.name.describe();
            let (how, (forbidden, prohibition)) = self
                .forbidding(selector, homed, merged)
                .map(|homed| ("is forbidden", homed))
                .or_else(|| {
                    Some(("is left out by `allow_only`", self.not_allowed(&selector.name, homed, merged)?))
                })?;
            let what = format!("{name} is a step of a sequence, and {how}");
            // What begins in a turn, that turn forbids; its result may be that of a call before it.
            let home = if is_result { home } else { Home::Test };
            Some(forbidden_requirement(never(&what, home, forbidden), entry, prohibition, surroundings))
        })
    }

    /// What forbids every call that is selected.
    fn forbidding(&self, selector: &Selector, owed: Homed<'e>, merged: &Inherited) -> Option<Homed<'e>> {
        let found = self.about(&selector.name).find(|calls| {
            meet(calls.homed, owed, merged)
                && calls.selector.is_none_or(|forbidden| {
                    // A call may be pending at the end of a turn and no more at that of the test.
                    (!forbidden.result.is_pending() || calls.homed.0 == owed.0)
                        && selector.is_within(forbidden)
                })
        });
        found.map(|calls| calls.homed)
    }

    /// What names the tools that are allowed, and surely none that is meant.
    fn not_allowed(&self, name: &ToolName, owed: Homed<'e>, merged: &Inherited) -> Option<Homed<'e>> {
        let is_later = |name: &String| name.contains("${");
        let excludes = |allowed: &AllowOnly| {
            !allowed.names.iter().any(is_later) && !allowed.names.iter().any(|allowed| name.may_mean(allowed))
        };
        let found =
            self.allowed.iter().find(|(homed, allowed)| excludes(allowed) && meet(*homed, owed, merged));
        found.map(|(homed, _)| *homed)
    }

    /// What forbids calls of every tool that is meant.
    fn about<'s>(&'s self, name: &'s ToolName) -> impl Iterator<Item = ForbiddenCalls<'e>> + 's {
        let of_name = match name {
            ToolName::Exact(name) => self.by_name.get(name.as_str()),
            ToolName::Matching(_) => None,
        };
        let includes = |calls: &&ForbiddenCalls<'_>| {
            calls.selector.is_some_and(|selector| selector.name.surely_includes(name))
        };
        of_name
            .into_iter()
            .flatten()
            .chain(self.by_pattern.iter().filter(move |calls| includes(calls)))
            .copied()
    }
}

/// Whether a prohibition is in force on all that an obligation sees.
pub(super) fn meet((forbidden, rule): Homed<'_>, (owed, by): Homed<'_>, merged: &Inherited) -> bool {
    let turns = merged.turns.as_slice();
    // What is told again is the business of its own turn alone.
    let alone =
        |home: Home| matches!(home, Home::Turn(turn) if turns.get(turn).is_some_and(|turn| turn.is_replay));
    let without_subagents = |home: Home| match home {
        Home::Test => merged.without_subagents,
        Home::Turn(turn) => turns.get(turn).is_some_and(|turn| turn.without_subagents),
    };
    if rule.rule.is_about_tools() && without_subagents(forbidden) && !without_subagents(owed) {
        return false;
    }
    let in_force = |turn: &TurnRules| !turn.leaves_out(rule);
    let on_all = match owed {
        // What a turn requires may have begun in a turn before it.
        Home::Turn(index) => turns.iter().take(index + 1).all(in_force),
        Home::Test => turns.iter().all(|turn| in_force(turn) || turn.leaves_out(by)),
    };
    forbidden == owed && on_all
        || (forbidden == Home::Test || turns.len() == 1) && on_all && !alone(forbidden) && !alone(owed)
}

/// What is said of a requirement that cannot be met on its home.
fn never(what: &str, home: Home, forbidden: Home) -> String {
    match (home, forbidden) {
        // What a turn requires may have begun in a turn before it; what it forbids begins in it (SPEC 6).
        (Home::Turn(index), Home::Turn(_)) if index > 0 => format!(
            "{what} on turn {}: at best a call of an earlier turn that is answered in this one can pass",
            index + 1
        ),
        _ => format!("{what}: the test can never pass"),
    }
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
    required.requires_nothing().then(|| {
        let name = required.selector.name.describe();
        let message =
            format!("this entry requires nothing of {name}: any number of calls is enough, none too");
        Diagnostic::warning(Code::RequiresNothing, message)
            .at(surroundings.source(&entry.origin), entry.origin.span, "")
            .help("give `count` a `min` above 0 or a `max`, or drop the entry")
    })
}
