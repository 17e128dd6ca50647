//! Limits that nothing can exceed.

use std::sync::Arc;

use super::{LintContext, Timeout};
use crate::block::Block;
use crate::evaluation::{Bound, Measure, RuleOrigin, Setting};
use crate::inherit::{Inherited, TurnRules};
use ananke_base::diagnostic::{Code, Diagnostic};
use ananke_trace::outcome::Level;

/// A limit and the turns it applies to.
struct AppliedLimit<'m> {
    bound: &'m Bound,
    turns: Vec<usize>,
}

/// The warnings, each with the level that defines the limit.
pub(super) fn lint(merged: &Inherited, surroundings: &LintContext<'_>) -> Vec<(Level, Diagnostic)> {
    let mut found: Vec<(&RuleOrigin, Diagnostic)> = Vec::new();
    // The default timeout gives way to a longer limit of the duration.
    if let Some(timeout) = surroundings
        .timeout
        .filter(|timeout| timeout.span.is_some())
    {
        if let Some(bound) = merged.limits.get(Measure::Duration) {
            let of_itself = |turn: &&TurnRules| turn.separate.contains(&Measure::Duration);
            let counted = merged.turns.iter().filter(|turn| !of_itself(turn)).count();
            found.extend(sum(bound, counted, timeout, surroundings));
        }
        // A limit of the test is about the total of its turns as well; one that a turn defines is about that turn alone.
        let of_turns = merged
            .turns
            .iter()
            .filter_map(|turn| turn.limits.get(Measure::Duration));
        for bound in
            of_turns.filter(|bound| bound.origin.level == Level::Turn && bound.most > timeout.ms)
        {
            found.push((
                &bound.origin,
                cut_off(Measure::Duration, bound, 1, timeout, surroundings),
            ));
        }
    }
    for measure in [Measure::Idle, Measure::FirstToken, Measure::Tool] {
        for AppliedLimit { bound, turns } in of_turns(measure, merged) {
            let timeout = surroundings
                .timeout
                .map(|timeout| effective(timeout, &turns, merged));
            let cutting = timeout.filter(|timeout| bound.most > timeout.ms);
            let warning = match cutting {
                Some(timeout) => Some(cut_off(measure, bound, 1, timeout, surroundings)),
                None if measure == Measure::Idle => shadowed(bound, &turns, merged, surroundings),
                None => None,
            };
            found.extend(warning.map(|warning| (&bound.origin, warning)));
        }
    }
    for bound in surroundings
        .whole_timeout_ms
        .map(|ms| never_reached(merged, ms))
        .into_iter()
        .flatten()
    {
        // A turn that is aborted sooner was reported already.
        if !found.iter().any(|(origin, _)| **origin == bound.1.origin) {
            found.push((&bound.1.origin, whole_cut_off(bound, surroundings)));
        }
    }
    found
        .into_iter()
        .map(|(origin, warning)| (origin.level, warning))
        .collect()
}

/// The timeout of these turns: the default is as long as a longer limit of the duration.
fn effective(timeout: Timeout, turns: &[usize], merged: &Inherited) -> Timeout {
    let durations = turns
        .iter()
        .filter_map(|turn| merged.turns[*turn].limits.get(Measure::Duration));
    let longest = durations
        .map(|bound| bound.most)
        .max()
        .filter(|_| timeout.span.is_none());
    Timeout {
        ms: timeout.ms.max(longest.unwrap_or_default()),
        ..timeout
    }
}

/// The limits of a test that each of its turns replaces.
pub(super) fn unused(
    test: &Block,
    merged: &Inherited,
    surroundings: &LintContext<'_>,
    found: &mut Vec<Diagnostic>,
) {
    for (measure, setting) in test.limits.iter() {
        let Setting::Bound(bound) = setting else {
            continue;
        };
        let applies = |turn: &TurnRules| {
            let is_its_own = turn
                .limits
                .get(measure)
                .is_some_and(|own| own.origin == bound.origin);
            // What a turn does not answer for itself counts towards the total.
            is_its_own
                || measure.has_total() && !turn.separate.contains(&measure) && !turn.is_replay
        };
        // A block of the config may be meant for other tests as well.
        let is_of_test = Arc::ptr_eq(surroundings.source(&bound.origin), surroundings.test);
        if is_of_test && !merged.turns.is_empty() && !merged.turns.iter().any(applies) {
            let message = format!(
                "`{}` applies to no turn: each turn has its own or none",
                measure.key()
            );
            let source = surroundings.source(&bound.origin);
            let warning =
                Diagnostic::warning(Code::UnusedLimit, message).at(source, bound.origin.span, "");
            found.push(warning.help("drop it, or let a turn inherit it"));
        }
    }
}

/// The limits of time that allow more than the timeout of the whole test, each once.
fn never_reached(merged: &Inherited, whole_ms: u64) -> Vec<(Measure, &Bound)> {
    let of_test = merged
        .limits
        .get(Measure::Duration)
        .map(|bound| (Measure::Duration, bound));
    let times = [
        Measure::Duration,
        Measure::Idle,
        Measure::FirstToken,
        Measure::Tool,
    ];
    let of_turns = times.into_iter().flat_map(|measure| {
        let limits = of_turns(measure, merged).into_iter();
        limits.map(move |limit| (measure, limit.bound))
    });
    let mut above: Vec<(Measure, &Bound)> = Vec::new();
    for (measure, bound) in of_test
        .into_iter()
        .chain(of_turns)
        .filter(|(_, bound)| bound.most > whole_ms)
    {
        if !above.iter().any(|(_, known)| known.origin == bound.origin) {
            above.push((measure, bound));
        }
    }
    above
}

fn whole_cut_off(
    (measure, bound): (Measure, &Bound),
    surroundings: &LintContext<'_>,
) -> Diagnostic {
    let whole = surroundings.whole_timeout_ms.unwrap_or_default();
    let message = format!(
        "`{}` of {} ms can never be exceeded: the whole test times out after {whole} ms",
        measure.key(),
        bound.most
    );
    let source = surroundings.source(&bound.origin);
    Diagnostic::warning(Code::LimitAboveTimeout, message)
        .at(source, bound.origin.span, "")
        .help("lower the limit, or raise `timeout_ms` of the test")
}

/// Each limit once, with the turns it applies to: one that turns inherit, and those that turns define.
fn of_turns(measure: Measure, merged: &Inherited) -> Vec<AppliedLimit<'_>> {
    let mut inherited: Option<AppliedLimit<'_>> = None;
    let mut limits = Vec::new();
    for (index, turn) in merged.turns.iter().enumerate() {
        let Some(bound) = turn.limits.get(measure) else {
            continue;
        };
        if bound.origin.level == Level::Turn {
            limits.push(AppliedLimit {
                bound,
                turns: vec![index],
            });
        } else {
            inherited
                .get_or_insert(AppliedLimit {
                    bound,
                    turns: Vec::new(),
                })
                .turns
                .push(index);
        }
    }
    limits.extend(inherited);
    limits
}

/// The limit of the test, if its turns are aborted before they can take so long together.
fn sum<'m>(
    bound: &'m Bound,
    turns: usize,
    timeout: Timeout,
    surroundings: &LintContext<'_>,
) -> Option<(&'m RuleOrigin, Diagnostic)> {
    let most = timeout
        .ms
        .saturating_mul(u64::try_from(turns).unwrap_or(u64::MAX));
    let warning = || cut_off(Measure::Duration, bound, turns, timeout, surroundings);
    (turns > 0 && bound.most > most).then(|| (&bound.origin, warning()))
}

fn cut_off(
    measure: Measure,
    bound: &Bound,
    turns: usize,
    timeout: Timeout,
    surroundings: &LintContext<'_>,
) -> Diagnostic {
    let Bound { most: ms, origin } = bound;
    let each = if turns == 1 {
        format!("a turn times out after {} ms", timeout.ms)
    } else {
        format!(
            "each of the {turns} turns times out after {} ms",
            timeout.ms
        )
    };
    let key = measure.key();
    let message = format!("`{key}` of {ms} ms can never be exceeded: {each}");
    let source = surroundings.source(origin);
    let warning = Diagnostic::warning(Code::LimitAboveTimeout, message).at(source, origin.span, "");
    let advice = "lower the limit, or raise `timeout_ms` of the target";
    match timeout.span {
        Some(span) if origin.level == Level::Target => warning
            .at(surroundings.config, span, "the timeout")
            .help(advice),
        Some(span) => warning
            .help(format!(
                "the timeout is that of the target, {}",
                surroundings.config.place(span)
            ))
            .help(advice),
        None => warning
            .help("the timeout is the default, without a `timeout_ms` of the target")
            .help(advice),
    }
}

/// An idle limit, if to each of its turns a limit of the duration that is no larger applies.
fn shadowed(
    idle: &Bound,
    turns: &[usize],
    merged: &Inherited,
    surroundings: &LintContext<'_>,
) -> Option<Diagnostic> {
    let durations: Vec<&Bound> = turns
        .iter()
        .map(|turn| {
            let duration = merged.turns[*turn].limits.get(Measure::Duration);
            duration.filter(|duration| duration.most <= idle.most)
        })
        .collect::<Option<_>>()?;
    let duration = durations.first()?;
    let message = format!(
        "`max_idle_ms` of {} ms never fails on its own: a turn that is idle for longer takes longer than its \
         `max_duration_ms` of {} ms",
        idle.most, duration.most
    );
    let places = (
        (&idle.origin, ""),
        (&duration.origin, "the duration is limited"),
    );
    let warning = surroundings.warning(Code::IdleAboveDuration, message, places.0, places.1);
    Some(warning.help("give `max_idle_ms` a smaller number than `max_duration_ms`, or drop it"))
}
