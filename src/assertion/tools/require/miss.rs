//! What is told where the number of selected calls is wrong: the calls that came near, and what each of them lacks.

use std::borrow::Cow;

use crate::assertion::describe::{listed, short, times};
use crate::assertion::judge::{Finding, Home, Scope, Seen};
use crate::assertion::select::Counted;
use crate::assertion::select::Misfits;
use crate::assertion::select::Naming;
use crate::assertion::select::Selecting;
use crate::text::nearest;

/// How many candidates' events a failure cites.
const CITED_CANDIDATES: usize = 100;

/// How many candidates a failure shows.
const SHOWN_CANDIDATES: usize = 5;

/// A number of selected calls that is wrong.
pub(crate) struct Miss<'m> {
    pub(crate) expected: &'m str,
    pub(crate) conditions: &'m str,
    pub(crate) selecting: &'m Selecting,
    pub(crate) count: Counted,
    /// How many calls are selected.
    pub(crate) selected: u64,
    /// The calls of the name, in order.
    pub(crate) candidates: Vec<usize>,
}

impl Miss<'_> {
    pub(crate) fn finding(&self, scope: &Scope<'_>) -> Finding {
        let home = match scope.home {
            // A rule that waited for a result is settled when other turns have come and gone.
            Home::Turn(turn) if turn + 1 < scope.trace.turns.len() => format!("in turn {}", turn + 1),
            Home::Turn(_) => "in this turn".to_owned(),
            Home::Test => "in the test".to_owned(),
        };
        let (wanted, conditions) = (self.count.describe(), self.conditions);
        let at_least_one = self.count == Counted::AT_LEAST_ONE;
        let expected = if at_least_one { String::new() } else { format!(", expected {wanted}") };
        let message = if self.selected > 0 {
            format!("{conditions} was called {} {home}, expected {wanted}", times(self.selected))
        } else if self.candidates.is_empty() {
            format!("{} {home}{expected}", self.selecting.name.not_called())
        } else {
            format!("no call of {conditions} {home}{expected}")
        };
        let candidates = self.candidates.iter().map(|index| &scope.trace.calls[*index]);
        let events = candidates.take(CITED_CANDIDATES).map(|call| call.first_event).collect();
        let seen = if self.candidates.is_empty() { self.others(scope) } else { self.shown(scope) };
        Finding { message, expected: self.expected.to_owned(), seen, events }
    }

    /// The candidates, with what each one lacks: of the one that came closest everything, of the others the first thing.
    fn shown(&self, scope: &Scope<'_>) -> Vec<Seen> {
        let misfits = |index: &usize| (*index, self.selecting.misfits(&scope.trace.calls[*index]));
        let all: Vec<(usize, Misfits)> = self.candidates.iter().map(misfits).collect();
        let briefly = |(index, misfits): &(usize, Misfits)| Seen::Call {
            index: *index,
            misfit: misfits.first().map(str::to_owned),
        };
        let mut lines: Vec<Seen> = all.iter().take(SHOWN_CANDIDATES).map(briefly).collect();
        let misses = all.iter().enumerate().filter(|(_, (_, misfits))| misfits.count() > 0);
        if let Some((position, (index, closest))) = misses.min_by_key(|(_, (_, misfits))| misfits.weight()) {
            // Where all differ alike, none is closer than the others.
            let is_closer = all.iter().any(|(_, misfits)| misfits.weight() > closest.weight());
            let line = Seen::Miss { index: *index, misfits: closest.lines(), is_closer };
            if is_closer {
                lines.remove(position.min(lines.len() - 1));
                lines.insert(0, line);
            } else {
                lines[position.min(SHOWN_CANDIDATES - 1)] = line;
            }
        }
        if self.candidates.len() > SHOWN_CANDIDATES {
            lines.push(Seen::Words(format!("and {} more", self.candidates.len() - SHOWN_CANDIDATES)));
        }
        lines
    }

    /// What was called instead.
    fn others(&self, scope: &Scope<'_>) -> Vec<Seen> {
        let calls = (0..scope.trace.calls.len()).filter(|index| scope.counts(*index));
        let names: Vec<&str> = calls.map(|index| scope.trace.calls[index].name.as_str()).collect();
        if names.is_empty() {
            return vec![Seen::Words("no tool was called".to_owned())];
        }
        let mut lines = vec![Seen::Words(format!("called: {}", listed(&names)))];
        let Naming::Exact(sought) = &self.selecting.name else { return lines };
        if let Some(name) = nearest(sought, names) {
            lines.push(Seen::Words(format!("did you mean `{}`?", short(name))));
        }
        lines
    }

    /// The calls up to the one that came too early; of the tool whose result is `awaited`, whether it has one.
    pub(crate) fn order(scope: &Scope<'_>, index: usize, awaited: Option<&str>) -> Vec<Seen> {
        let calls = (0..=index).filter(|call| scope.sees(*call)).map(|call| &scope.trace.calls[call]);
        let began = scope.trace.calls[index].order;
        let names: Vec<Cow<'_, str>> = calls
            .map(|call| {
                let is_answered = call.results.first().is_some_and(|result| result.order < began);
                if awaited == Some(call.name.as_str()) && !is_answered && call.order < began {
                    Cow::Owned(format!("{} (without a result)", short(&call.name)))
                } else {
                    Cow::Borrowed(call.name.as_str())
                }
            })
            .collect();
        let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
        vec![Seen::Call { index, misfit: None }, Seen::Words(format!("called so far: {}", listed(&names)))]
    }
}
