//! Calls that are required and forbidden, and requirements that require nothing.

use std::collections::HashMap;

use super::rules::{MOST_PAIRS, Rules, Scoped};
use crate::evaluation::RuleScope;
use crate::rule::{Claim, RuleEntry};
use crate::select::{Selector, ToolName, WrittenName};
use ananke_base::diagnostic::{Code, Diagnostic};
use ananke_model::variables::Patterns;
use ananke_trace::outcome::Level;

/// Calls that are forbidden somewhere.
#[derive(Clone, Copy)]
struct ForbiddenCalls<'e> {
    scoped: Scoped<'e>,
    /// The selector of these calls; every call to the tool if there is none.
    selector: Option<&'e Selector>,
}

/// The prohibitions of a test, by what they are about.
struct Prohibitions<'r, 'e> {
    rules: &'r Rules<'e>,
    /// Those about one tool, by its name.
    by_name: HashMap<&'e str, Vec<ForbiddenCalls<'e>>>,
    /// Those about all tools whose names match.
    by_pattern: Vec<(ToolName, ForbiddenCalls<'e>)>,
    /// Those that name the tools that are allowed.
    allowed: Vec<(Scoped<'e>, &'e [WrittenName])>,
}

pub(super) fn lint(rules: &Rules<'_>, found: &mut Vec<Diagnostic>) -> Vec<(Level, Diagnostic)> {
    let mut triggers = Vec::new();
    let prohibitions = Prohibitions::of(rules);
    let mut reported: Option<&RuleEntry> = None;
    for (scoped @ (_, entry), claim) in rules.claims() {
        match claim {
            Claim::Requires {
                selector,
                min,
                after,
            } if min > 0 => {
                found.extend(prohibitions.against(selector, after, scoped));
            }
            Claim::RequiresNothing(name) => found.push(requires_nothing(name, entry, rules)),
            // Only the first step of a sequence is reported.
            Claim::Step {
                selector,
                is_result,
            } if !reported.is_some_and(|reported| std::ptr::eq(reported, entry)) => {
                // A turn forbids calls that start in it; a result may be that of a call before it.
                let start = if is_result { scoped.0 } else { RuleScope::Test };
                let warning = prohibitions.against_step(selector, start, scoped);
                reported = warning.is_some().then_some(entry).or(reported);
                found.extend(warning);
            }
            Claim::TriggeredBy {
                name,
                selector,
                is_result,
            } => {
                let warning = prohibitions.against_trigger(name, selector, scoped);
                // A turn forbids calls that start in it; a result may be that of a call before it.
                let may_be_earlier = |forbidden: &RuleScope| {
                    is_result && *forbidden == scoped.0 && matches!(scoped.0, RuleScope::Turn(1..))
                };
                let warning = warning.filter(|(forbidden, _)| !may_be_earlier(forbidden));
                let warning = warning.map(|(_, warning)| warning);
                triggers.extend(warning.map(|warning| (entry.origin.level, warning)));
            }
            Claim::Ties(selector) => found.extend(prohibitions.against_tie(selector, scoped)),
            Claim::AlwaysPreceded(name) => {
                triggers.push((entry.origin.level, always_preceded(name, entry, rules)));
            }
            _ => {}
        }
    }
    triggers
}

impl<'r, 'e> Prohibitions<'r, 'e> {
    fn of(rules: &'r Rules<'e>) -> Self {
        let mut found = Self {
            rules,
            by_name: HashMap::new(),
            by_pattern: Vec::new(),
            allowed: Vec::new(),
        };
        let mut requirements = 0;
        for (scoped, claim) in rules.claims() {
            match claim {
                Claim::ForbidsTool(name) => {
                    let calls = ForbiddenCalls {
                        scoped,
                        selector: None,
                    };
                    found.by_name.entry(name).or_default().push(calls);
                }
                Claim::ForbidsCalls(selector) => {
                    let calls = ForbiddenCalls {
                        scoped,
                        selector: Some(selector),
                    };
                    match &selector.name {
                        ToolName::Exact(name) => found.by_name.entry(name).or_default().push(calls),
                        ToolName::Matching(_) | ToolName::OfTrigger => {
                            found.by_pattern.push((selector.name.clone(), calls));
                        }
                    }
                }
                Claim::AllowsOnly(names) => found.allowed.push((scoped, names)),
                Claim::Requires { .. } | Claim::Step { .. } | Claim::TriggeredBy { .. } => {
                    requirements += 1;
                }
                _ => {}
            }
        }
        // Each requirement is compared with each pattern, which is compiled once for all of them.
        if requirements == 0 || found.by_pattern.len() * requirements > MOST_PAIRS {
            found.by_pattern.clear();
        }
        let mut patterns = Patterns::default();
        found
            .by_pattern
            .retain_mut(|(name, _)| name.start(&mut patterns).is_ok());
        found
    }

    /// The warning if the calls that are required are forbidden.
    fn against(
        &self,
        selector: &Selector,
        after: Option<&str>,
        scoped @ (scope, entry): Scoped<'e>,
    ) -> Option<Diagnostic> {
        let name = selector.name.describe();
        if let Some((forbidden, prohibition)) = self.forbidding(selector, scoped) {
            let message = never(
                &format!("{name} is required and forbidden"),
                scope,
                forbidden,
            );
            return Some(self.warning(message, entry, prohibition));
        }
        if let Some((forbidden, prohibition)) = self.not_allowed(&selector.name, scoped) {
            let message = never(
                &format!("{name} is required, and `allow_only` leaves it out"),
                scope,
                forbidden,
            );
            return Some(self.warning(message, entry, prohibition));
        }
        let after = after?;
        let after_name = ToolName::Exact(after.to_owned());
        if selector.name == after_name && selector.args.is_empty() && selector.result.is_empty() {
            let message = format!("{name} is required after itself: the first call can never pass");
            let warning = Diagnostic::warning(Code::ImpossibleOrder, message);
            let warning = warning.at(
                self.rules.surroundings.source(&entry.origin),
                entry.origin.span,
                "",
            );
            return Some(
                warning.help("name another tool in `after`, or write `count: { min: 2 }`"),
            );
        }
        let turns = &self.rules.merged.turns;
        let is_everywhere = |(forbidden, rule): Scoped<'_>| {
            (forbidden == RuleScope::Test || turns.len() == 1)
                && (scope != RuleScope::Test || !turns.iter().any(|turn| turn.leaves_out(rule)))
        };
        let previous = self.about(&after_name).find(|calls| {
            let is_any =
                |selector: &Selector| selector.args.is_empty() && selector.result.is_empty();
            self.rules.overlap(calls.scoped, scoped)
                && is_everywhere(calls.scoped)
                && calls.selector.is_none_or(is_any)
        });
        let previous = previous.map(|calls| calls.scoped).or_else(|| {
            self.not_allowed(&after_name, scoped)
                .filter(|prohibition| is_everywhere(*prohibition))
        });
        previous.map(|(_, prohibition)| {
            let message = format!(
                "{name} is required after `{after}`, which is forbidden: the test can never pass"
            );
            self.warning(message, entry, prohibition)
        })
    }

    /// The warning if the calls that a step of a sequence needs, which start in `start`, are forbidden.
    fn against_step(
        &self,
        selector: &Selector,
        start: RuleScope,
        scoped @ (_, entry): Scoped<'e>,
    ) -> Option<Diagnostic> {
        let (how, (forbidden, prohibition)) = self
            .forbidding(selector, scoped)
            .map(|scoped| ("is forbidden", scoped))
            .or_else(|| {
                Some((
                    "is not in `allow_only`",
                    self.not_allowed(&selector.name, scoped)?,
                ))
            })?;
        let what = format!(
            "{} is a step of a sequence, and {how}",
            selector.name.describe()
        );
        Some(self.warning(never(&what, start, forbidden), entry, prohibition))
    }

    /// The warning if the calls that a trigger requires are forbidden wherever they could come.
    fn against_tie(
        &self,
        selector: &Selector,
        scoped @ (scope, entry): Scoped<'e>,
    ) -> Option<Diagnostic> {
        let (how, (forbidden, prohibition)) = self
            .forbidding(selector, scoped)
            .map(|scoped| ("is forbidden", scoped))
            .or_else(|| {
                let scoped = self.not_allowed(&selector.name, scoped)?;
                Some(("is not in `allow_only`", scoped))
            })?;
        let turns = &self.rules.merged.turns;
        let is_everywhere = forbidden == scope || forbidden == RuleScope::Test;
        if !is_everywhere || turns.iter().any(|turn| turn.leaves_out(prohibition)) {
            return None;
        }
        let message = format!(
            "{} must be called whenever this rule is triggered, and {how}: once triggered, the rule can never pass",
            selector.name.describe()
        );
        Some(self.warning(message, entry, prohibition))
    }

    /// The scope and the warning if the calls that trigger a rule, or whose results do, are forbidden.
    fn against_trigger(
        &self,
        name: &ToolName,
        selector: Option<&Selector>,
        scoped @ (_, entry): Scoped<'e>,
    ) -> Option<(RuleScope, Diagnostic)> {
        let is_forbidden = |calls: &ForbiddenCalls<'_>| {
            calls.selector.is_none_or(|forbidden| {
                selector.is_some_and(|selector| selector.is_within(forbidden))
            })
        };
        let forbidden = self
            .about(name)
            .filter(|calls| self.rules.overlap(calls.scoped, scoped));
        let forbidden = forbidden
            .filter(is_forbidden)
            .map(|calls| ("is forbidden", calls.scoped))
            .next();
        let (how, (scope, prohibition)) = forbidden
            .or_else(|| Some(("is not in `allow_only`", self.not_allowed(name, scoped)?)))?;
        let message = format!(
            "{} triggers this rule, and {how}: the rule can never fail",
            name.describe()
        );
        let places = (
            (&entry.origin, "never triggered"),
            (&prohibition.origin, "forbidden"),
        );
        let warning =
            self.rules
                .surroundings
                .warning(Code::NeverTriggered, message, places.0, places.1);
        let help =
            "drop one of the two, or forbid the tool only on the turns that must not call it";
        Some((scope, warning.help(help)))
    }

    /// The rule that forbids every call that is selected.
    fn forbidding(&self, selector: &Selector, required: Scoped<'e>) -> Option<Scoped<'e>> {
        let found = self.about(&selector.name).find(|calls| {
            self.rules.overlap(calls.scoped, required)
                && calls.selector.is_none_or(|forbidden| {
                    // A call may be pending at the end of a turn and no longer at that of the test.
                    (!forbidden.result.is_pending() || calls.scoped.0 == required.0)
                        && selector.is_within(forbidden)
                })
        });
        found.map(|calls| calls.scoped)
    }

    /// The rule that names the tools that are allowed, and surely none that matches.
    fn not_allowed(&self, name: &ToolName, required: Scoped<'e>) -> Option<Scoped<'e>> {
        let is_later = |name: &WrittenName| name.contains("${");
        let excludes = |allowed: &[WrittenName]| {
            !allowed.iter().any(is_later) && !allowed.iter().any(|allowed| name.may_match(allowed))
        };
        let mut allowed = self.allowed.iter();
        let found = allowed
            .find(|(scoped, names)| excludes(names) && self.rules.overlap(*scoped, required));
        found.map(|(scoped, _)| *scoped)
    }

    /// The prohibitions of calls to every tool that matches.
    fn about<'s>(&'s self, name: &'s ToolName) -> impl Iterator<Item = ForbiddenCalls<'e>> + 's {
        let of_name = match name {
            ToolName::Exact(name) => self.by_name.get(name.as_str()),
            ToolName::Matching(_) | ToolName::OfTrigger => None,
        };
        let by_pattern = self
            .by_pattern
            .iter()
            .filter(move |(pattern, _)| pattern.surely_includes(name));
        of_name
            .into_iter()
            .flatten()
            .chain(by_pattern.map(|(_, calls)| calls))
            .copied()
    }

    fn warning(&self, message: String, required: &RuleEntry, forbidden: &RuleEntry) -> Diagnostic {
        let places = (
            (&required.origin, "required here"),
            (&forbidden.origin, "forbidden"),
        );
        self.rules
            .surroundings
            .warning(Code::ForbiddenRequirement, message, places.0, places.1)
            .help(
                "remove one of the two, or forbid the tool only on the turns that must not call it",
            )
    }
}

/// The message about a requirement that cannot pass on its scope.
fn never(what: &str, scope: RuleScope, forbidden: RuleScope) -> String {
    match (scope, forbidden) {
        // What a turn requires may have begun in a turn before it; what it forbids begins in it (SPEC 6).
        (RuleScope::Turn(index), RuleScope::Turn(_)) if index > 0 => format!(
            "{what} on turn {}: at best a call of an earlier turn that is answered in this one can pass",
            index + 1
        ),
        _ => format!("{what}: the test can never pass"),
    }
}

fn always_preceded(name: &ToolName, entry: &RuleEntry, rules: &Rules<'_>) -> Diagnostic {
    let name = name.describe();
    let message =
        format!("a call to {name} comes before every result of it: the rule can never fail");
    Diagnostic::warning(Code::NeverTriggered, message)
        .at(
            rules.surroundings.source(&entry.origin),
            entry.origin.span,
            "",
        )
        .help("add a condition to the call, or name another tool")
}

fn requires_nothing(name: &ToolName, entry: &RuleEntry, rules: &Rules<'_>) -> Diagnostic {
    let name = name.describe();
    let message =
        format!("this entry has no effect: any number of calls to {name} is allowed, none too");
    Diagnostic::warning(Code::RequiresNothing, message)
        .at(
            rules.surroundings.source(&entry.origin),
            entry.origin.span,
            "",
        )
        .help("give `count` a `min` above 0 or a `max`, or drop the entry")
}
