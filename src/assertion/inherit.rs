//! Target → test → turn: what is in force where (SPEC 7.1).

use super::block::{Block, Bound, Expectation, Setting};
use super::rule::{Entry, Kind, Origin, Rule};
use crate::assertion::judge::Reach;
use crate::assertion::limits::{Measure, PerMeasure};

/// What is in force in a test, by home.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inherited {
    /// The rules whose home is the test: the target's and the test's own, outer first.
    pub test: Vec<Entry>,
    /// What the target or the test wrote though it was in force already.
    pub dropped: Vec<Dropped>,
    /// What the target wrote and the test says otherwise, or one block of a level and a later one of it.
    pub replaced: Vec<Replaced>,
    /// Whether calls of subagents are none to the rules whose home is the test.
    pub without_subagents: bool,
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
    /// The rules of the test that do not look at this turn.
    pub left_out: Vec<Replaced>,
    /// What one block of the turn writes and a later one says otherwise.
    pub replaced: Vec<Replaced>,
    /// Whether calls of subagents are none to the turn's own rules.
    pub without_subagents: bool,
    /// The turn's effective limits.
    pub limits: PerMeasure<Bound>,
    /// Where the turn's own limit is `false` or looser than the test's: its part is then left out of the test's sum.
    pub answers_for: Vec<Measure>,
    /// Whether it is told what was before: nothing of the outer levels is in force on it.
    pub is_replay: bool,
}

/// A rule that a level further in switches off, or says otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Replaced {
    /// The rule.
    pub entry: Entry,
    /// What stands instead.
    pub by: Origin,
}

impl TurnRules {
    /// Whether a rule of the test does not look at this turn.
    pub fn leaves_out(&self, entry: &Entry) -> bool {
        self.left_out.iter().any(|left_out| left_out.entry == *entry)
    }
}

impl Inherited {
    /// What a rule of the test looks at.
    pub fn reach(&self, entry: &Entry) -> Reach {
        let turns = self.turns.iter().enumerate().filter(|(_, turn)| turn.leaves_out(entry));
        Reach { left_out: turns.map(|(index, _)| index).collect(), without_subagents: self.without_subagents }
    }
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
/// limits, `max_calls`, the sequence and the outcome override inwards; `false` leaves out.
pub fn inherit(target: &Block, test: &Block, turns: &[Block]) -> Inherited {
    let (replaced, kept) = part(&target.entries, |entry| replaced_further_in(entry, test));
    let without_subagents = |levels: &[&Block]| {
        levels.iter().rev().find_map(|block| block.leaves_subagents_out()).unwrap_or_default()
    };
    let mut merged = Inherited {
        test: kept,
        replaced: [target.replaced.as_slice(), &test.replaced, &replaced].concat(),
        without_subagents: without_subagents(&[target, test]),
        dropped: [target.dropped.as_slice(), &test.dropped].concat(),
        limits: bounds(&[target, test]),
        turns: Vec::with_capacity(turns.len()),
    };
    add_new(&mut merged.test, &mut merged.dropped, &test.entries, &[]);
    // The last turn's own word overrides: both are about the same run.
    let last = turns.iter().rposition(|turn| !turn.is_replay);
    let of_test = [&test.outcome, &target.outcome].into_iter().find_map(Option::as_ref);
    let of_last = last.and_then(|last| turns[last].outcome.as_ref());
    if let (Some(Expectation::Is(entry)), None) = (of_test, of_last) {
        merged.test.push(entry.clone());
    }
    if let Some(mut entry) = snapshot(&[target, test]) {
        if let Rule::Snapshot(snapshot) = &mut entry.rule {
            let off = turns.iter().enumerate().filter(|(_, turn)| turn.snapshot == Some(Expectation::Off));
            snapshot.left_out = off.map(|(index, _)| index).collect();
        }
        merged.test.push(entry);
    }
    for (index, turn) in turns.iter().enumerate() {
        let levels: &[&Block] = if turn.is_replay { &[turn] } else { &[target, test, turn] };
        let without_subagents = without_subagents(levels);
        let looks_alike =
            |entry: &&Entry| !entry.rule.is_about_tools() || without_subagents == merged.without_subagents;
        let outer: Vec<&Entry> =
            if turn.is_replay { Vec::new() } else { merged.test.iter().filter(looks_alike).collect() };
        let answers = |measure: &Measure| {
            turn.is_replay || is_looser(turn.limits.get(*measure), merged.limits.get(*measure))
        };
        // The state of a test is that of its last turn.
        let is_about = |entry: &Entry| !matches!(entry.rule, Rule::State(_)) || last == Some(index);
        let (left_out, _) = part(&merged.test, |entry| {
            replaced_on_turn(entry, turn).filter(|_| is_about(entry) && !turn.is_replay)
        });
        let mut own = TurnRules {
            left_out,
            replaced: turn.replaced.clone(),
            without_subagents,
            dropped: turn.dropped.clone(),
            limits: bounds(levels),
            answers_for: Measure::ALL.into_iter().filter(Measure::is_summed).filter(answers).collect(),
            is_replay: turn.is_replay,
            entries: Vec::new(),
        };
        add_new(&mut own.entries, &mut own.dropped, &turn.entries, &outer);
        if let Some(Expectation::Is(entry)) = &turn.outcome {
            own.entries.push(entry.clone());
        }
        if turn.snapshot.is_some() {
            own.entries.extend(snapshot(levels));
        }
        merged.turns.push(own);
    }
    // What is left out on every turn that it would look at is in force nowhere.
    let looks = |entry: &Entry| -> Vec<&TurnRules> {
        let is_state = matches!(entry.rule, Rule::State(_));
        let turns = merged
            .turns
            .iter()
            .enumerate()
            .filter(|(index, turn)| !turn.is_replay && (!is_state || last == Some(*index)));
        turns.map(|(_, turn)| turn).collect()
    };
    let is_nowhere = |entry: &Entry| {
        let turns = looks(entry);
        !turns.is_empty() && turns.iter().all(|turn| turn.leaves_out(entry))
    };
    let kept = merged.test.iter().filter(|entry| !is_nowhere(entry)).cloned().collect();
    merged.test = kept;
    merged
}

impl Block {
    /// Puts a later block of the same level over this one. Exact duplicates of one level count once.
    pub(super) fn overlay(&mut self, later: Self) {
        let (replaced, kept) = part(&self.entries, |entry| replaced_further_in(entry, &later));
        self.entries = kept;
        self.replaced.extend(replaced);
        self.replaced.extend(later.replaced);
        self.dropped.extend(later.dropped);
        for entry in later.entries {
            match self.entries.iter().find(|known| known.rule == entry.rule) {
                Some(known) => self.dropped.push(Dropped { kept: known.origin.clone(), entry }),
                None => self.entries.push(entry),
            }
        }
        self.off.extend(later.off);
        if later.subagents.is_some() {
            self.subagents = later.subagents;
        }
        for (measure, setting) in later.limits.iter() {
            self.replaced_limits.extend(self.limits.get(measure).cloned().map(|outer| (measure, outer)));
            self.limits.set(measure, Some(setting.clone()));
        }
        self.replaced_limits.extend(later.replaced_limits);
        if later.outcome.is_some() {
            self.outcome = later.outcome;
        }
        self.snapshot = match (self.snapshot.take(), later.snapshot) {
            (outer, None) => outer,
            (Some(Expectation::Is(outer)), Some(Expectation::Is(own))) => {
                Some(Expectation::Is(widened(own, &outer)))
            }
            (_, own) => own,
        };
    }
}

/// A snapshot with all that the one around it leaves out as well.
fn widened(mut own: Entry, outer: &Entry) -> Entry {
    if let (Rule::Snapshot(own), Rule::Snapshot(outer)) = (&mut own.rule, &outer.rule) {
        own.inherit(&outer.volatile);
    }
    own
}

/// The innermost snapshot, with all that it and the levels around it leave out; what is switched off brings nothing.
fn snapshot(levels: &[&Block]) -> Option<Entry> {
    levels.iter().fold(None, |outer: Option<Entry>, level| match &level.snapshot {
        None => outer,
        Some(Expectation::Off) => None,
        Some(Expectation::Is(own)) => Some(match outer {
            Some(outer) => widened(own.clone(), &outer),
            None => own.clone(),
        }),
    })
}

/// Divides rules into those that something replaces and the others.
fn part<'b>(
    entries: &[Entry],
    replaced: impl Fn(&Entry) -> Option<&'b Origin>,
) -> (Vec<Replaced>, Vec<Entry>) {
    let (mut gone, mut kept) = (Vec::new(), Vec::new());
    for entry in entries {
        match replaced(entry) {
            Some(by) => gone.push(Replaced { entry: entry.clone(), by: by.clone() }),
            None => kept.push(entry.clone()),
        }
    }
    (gone, kept)
}

fn switched_off<'b>(entry: &Entry, inner: &'b Block) -> Option<&'b Origin> {
    inner.off.iter().find(|off| off.covers(entry.rule.path())).map(|off| &off.origin)
}

/// What a block says instead of a rule of one further out, at the same home.
fn replaced_further_in<'b>(entry: &Entry, inner: &'b Block) -> Option<&'b Origin> {
    // What is one word or one list of steps is said by the innermost level alone.
    let is_one = matches!(entry.rule, Rule::MaxCalls(_) | Rule::Sequence(_));
    let instead = || inner.entries.iter().find(|own| is_one && own.rule.path() == entry.rule.path());
    switched_off(entry, inner).or_else(|| instead().map(|own| &own.origin))
}

/// What a turn says instead of a rule of the test: a tighter `max_calls` stands beside that of the test.
fn replaced_on_turn<'b>(entry: &Entry, turn: &'b Block) -> Option<&'b Origin> {
    let looser = || {
        let Rule::MaxCalls(outer) = &entry.rule else { return None };
        let own = turn.entries.iter().find(|own| match &own.rule {
            Rule::MaxCalls(own) => own.is_looser(outer),
            _ => false,
        });
        own.map(|own| &own.origin)
    };
    switched_off(entry, turn).or_else(looser)
}

fn add_new(entries: &mut Vec<Entry>, dropped: &mut Vec<Dropped>, more: &[Entry], outer: &[&Entry]) {
    for entry in more {
        let known = entries.iter().chain(outer.iter().copied()).find(|known| known.rule == entry.rule);
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
