//! Target → test → turn: what is in force where (SPEC 7.1).

use super::{Block, Bound, Entry, Expectation, Kind, Measure, Origin, PerMeasure, Rule, Setting};

/// What is in force in a test, by home.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inherited {
    /// The rules whose home is the test: the target's and the test's own, outer first.
    pub test: Vec<Entry>,
    /// What the target or the test wrote though it was in force already.
    pub dropped: Vec<Dropped>,
    /// The test's effective limits.
    pub limits: PerMeasure<Bound>,
    /// What each turn adds.
    pub turns: Vec<TurnRules>,
}

/// What is in force on one turn beside the rules of the test.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurnRules {
    /// The rules whose home is this turn.
    pub entries: Vec<Entry>,
    /// What the turn wrote though it was in force already.
    pub dropped: Vec<Dropped>,
    /// The turn's effective limits.
    pub limits: PerMeasure<Bound>,
    /// Where the turn's own limit is `false` or looser than the test's: its part is then left out of the test's sum.
    pub answers_for: Vec<Measure>,
    /// Whether it is told what was before: nothing of the outer levels is in force on it.
    pub is_replay: bool,
}

/// A rule that was written again.
#[derive(Clone, Debug, PartialEq)]
pub struct Dropped {
    /// What was written again.
    pub entry: Entry,
    /// Where it stood already.
    pub kept: Origin,
}

/// Merges the levels. Lists accumulate, outer first; a prohibition that an outer level wrote already counts once;
/// limits and the outcome override inwards.
pub fn inherit(target: &Block, test: &Block, turns: &[Block]) -> Inherited {
    let mut merged = Inherited {
        test: target.entries.clone(),
        dropped: [target.dropped.as_slice(), &test.dropped].concat(),
        limits: bounds(&[target, test]),
        turns: Vec::with_capacity(turns.len()),
    };
    add_new(&mut merged.test, &mut merged.dropped, &test.entries, &[]);
    // The last turn's own word overrides: both are about the same run.
    let last = turns.iter().rfind(|turn| !turn.is_replay);
    let of_test = [&test.outcome, &target.outcome].into_iter().find_map(Option::as_ref);
    if let (Some(Expectation::Is(entry)), None) = (of_test, last.and_then(|turn| turn.outcome.as_ref())) {
        merged.test.push(entry.clone());
    }
    if let Some(mut entry) = snapshot(&[target, test]) {
        if let Rule::Snapshot(snapshot) = &mut entry.rule {
            let off = turns.iter().enumerate().filter(|(_, turn)| turn.snapshot == Some(Expectation::Off));
            snapshot.left_out = off.map(|(index, _)| index).collect();
        }
        merged.test.push(entry);
    }
    for turn in turns {
        let levels: &[&Block] = if turn.is_replay { &[turn] } else { &[target, test, turn] };
        let outer: &[Entry] = if turn.is_replay { &[] } else { &merged.test };
        let answers = |measure: &Measure| {
            turn.is_replay || is_looser(turn.limits.get(*measure), merged.limits.get(*measure))
        };
        let mut own = TurnRules {
            dropped: turn.dropped.clone(),
            limits: bounds(levels),
            answers_for: Measure::ALL.into_iter().filter(Measure::is_summed).filter(answers).collect(),
            is_replay: turn.is_replay,
            entries: Vec::new(),
        };
        add_new(&mut own.entries, &mut own.dropped, &turn.entries, outer);
        if let Some(Expectation::Is(entry)) = &turn.outcome {
            own.entries.push(entry.clone());
        }
        if turn.snapshot.is_some() {
            own.entries.extend(snapshot(levels));
        }
        merged.turns.push(own);
    }
    merged
}

/// The innermost snapshot, with all that it and the levels around it leave out; what is switched off brings nothing.
fn snapshot(levels: &[&Block]) -> Option<Entry> {
    levels.iter().fold(None, |outer: Option<Entry>, level| match &level.snapshot {
        None => outer,
        Some(Expectation::Off) => None,
        Some(Expectation::Is(entry)) => {
            let mut entry = entry.clone();
            if let (Rule::Snapshot(own), Some(Entry { rule: Rule::Snapshot(outer), .. })) =
                (&mut entry.rule, &outer)
            {
                own.inherit(&outer.volatile);
            }
            Some(entry)
        }
    })
}

fn add_new(entries: &mut Vec<Entry>, dropped: &mut Vec<Dropped>, more: &[Entry], outer: &[Entry]) {
    for entry in more {
        let known = entries.iter().chain(outer).find(|known| known.rule == entry.rule);
        match known.filter(|_| entry.rule.kind() == Kind::Prohibition) {
            Some(known) => {
                dropped.push(Dropped { entry: entry.clone(), kept: known.origin.clone() });
            }
            None => entries.push(entry.clone()),
        }
    }
}

/// The innermost word on a limit; outer levels first.
pub(super) fn effective<'s>(measure: Measure, levels: &[&'s Block]) -> Option<&'s Setting> {
    levels.iter().rev().find_map(|block| block.limits.get(measure))
}

fn bounds(levels: &[&Block]) -> PerMeasure<Bound> {
    let mut bounds = PerMeasure::default();
    for measure in Measure::ALL {
        if let Some(Setting::Bound(bound)) = effective(measure, levels) {
            bounds.set(measure, Some(bound.clone()));
        }
    }
    bounds
}

fn is_looser(own: Option<&Setting>, test: Option<&Bound>) -> bool {
    match (own, test) {
        (Some(Setting::Off(_)), _) => true,
        (Some(Setting::Bound(own)), Some(test)) => own.most > test.most,
        (Some(Setting::Bound(_) | Setting::Later(..)) | None, _) => false,
    }
}
