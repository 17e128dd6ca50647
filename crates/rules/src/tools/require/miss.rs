//! The report if the number of selected calls is wrong: the nearest calls, and the mismatches of each.

use std::borrow::Cow;

use crate::describe::{listed, short, times};
use crate::evaluation::{Evidence, Finding, RuleScope, View};
use crate::select::{CallCount, Mismatches, Selector, ToolName};
use ananke_base::text::nearest;
use ananke_trace::trace::TraceItem;

/// The most candidates that a failure shows, and cites the events of.
const SHOWN_CANDIDATES: usize = 5;

/// A number of selected calls that is wrong.
pub(super) struct CountMiss<'m> {
    pub(super) expected: &'m str,
    pub(super) conditions: &'m str,
    pub(super) selector: &'m Selector,
    pub(super) count: CallCount,
    /// The number of calls that are selected.
    pub(super) selected: u64,
    /// The calls of the name, in order.
    pub(super) candidates: Vec<usize>,
}

impl CountMiss<'_> {
    pub(super) fn finding(&self, view: &View<'_>) -> Finding {
        let scope = match view.scope {
            // A rule that waited for a result is decided when other turns have come and gone.
            RuleScope::Turn(turn) if turn + 1 < view.trace.turns.len() => {
                format!("in turn {}", turn + 1)
            }
            RuleScope::Turn(_) => "in this turn".to_owned(),
            RuleScope::Test => "in the test".to_owned(),
        };
        let (wanted, conditions) = (self.count.describe(), self.conditions);
        let at_least_one = self.count == CallCount::AT_LEAST_ONE;
        let expected = if at_least_one {
            String::new()
        } else {
            format!(", expected {wanted}")
        };
        let evidence = if self.candidates.is_empty() {
            self.others(view)
        } else {
            self.shown(view)
        };
        let message = if let Some(differing) = self.differing(&evidence, view) {
            differing
        } else if self.selected > 0 {
            format!(
                "{conditions} was called {} {scope}, expected {wanted}",
                times(self.selected)
            )
        } else if self.candidates.is_empty() {
            format!("{} {scope}{expected}", self.selector.name.not_called())
        } else {
            format!("no call to {conditions} {scope}{expected}")
        };
        let event = |evidence: &Evidence| match evidence {
            Evidence::Call { index, .. } => Some(view.trace.calls[*index].first_event),
            Evidence::Said(_) | Evidence::Words(_) => None,
        };
        let events = evidence.iter().filter_map(event).collect();
        let measured = self.count.measured(self.selected);
        let tool = match &self.selector.name {
            ToolName::Exact(name) => Some(name.clone()),
            _ => None,
        };
        Finding {
            message,
            expected: self.expected.to_owned(),
            tool,
            evidence,
            events,
            measured,
            ..Finding::default()
        }
    }

    /// The difference of the nearest call that is not selected, as a sentence; `None` if the number of calls to the tool is what
    /// is wrong: more are selected than may be, or there are too few of them, whatever their values.
    fn differing(&self, evidence: &[Evidence], view: &View<'_>) -> Option<String> {
        let calls = self.candidates.len() as u64;
        let is_enough = self.selected >= self.count.min;
        if is_enough || self.selected > 0 && calls < self.count.min {
            return None;
        }
        let nearest = evidence.iter().find_map(|evidence| match evidence {
            Evidence::Call {
                index,
                focus,
                is_closest,
            } => {
                let call = view.trace.calls.get(*index)?;
                let is_selected = self.selector.mismatches(call).count() == 0;
                (!is_selected).then_some((call, focus, *is_closest))
            }
            Evidence::Said(_) | Evidence::Words(_) => None,
        });
        let (call, focus, is_closest) = nearest?;
        let differs = focus
            .differing(call)
            .unwrap_or_else(|| format!("was called without {}", self.selector.conditions()));
        let wanted = self.count.describe();
        let of_all = match (self.selected, calls, is_closest) {
            (0, ..) if calls < self.count.min => {
                format!(" (called {}, expected {wanted})", times(calls))
            }
            (0, 1, _) => String::new(),
            (0, _, true) => format!(" (the closest of {calls} calls)"),
            (0, _, false) => format!(" (the first of {calls} calls)"),
            (selected, ..) => format!(" (matched {}, expected {wanted})", times(selected)),
        };
        Some(format!("`{}` {differs}{of_all}", short(&call.name)))
    }

    /// The candidates with their mismatches, the closest first.
    fn shown(&self, view: &View<'_>) -> Vec<Evidence> {
        let mismatches =
            |index: &usize| (*index, self.selector.mismatches(&view.trace.calls[*index]));
        let all: Vec<(usize, Mismatches)> = self.candidates.iter().map(mismatches).collect();
        let shown = |(index, mismatches): &(usize, Mismatches), is_closest| Evidence::Call {
            index: *index,
            focus: self.selector.focus(mismatches),
            is_closest,
        };
        let mut lines: Vec<Evidence> = all
            .iter()
            .take(SHOWN_CANDIDATES)
            .map(|one| shown(one, false))
            .collect();
        let misses = all
            .iter()
            .enumerate()
            .filter(|(_, (_, mismatches))| mismatches.count() > 0);
        // If all differ alike, none is closer than the others.
        if let Some((position, closest)) =
            misses.min_by_key(|(_, (_, mismatches))| mismatches.weight())
            && all
                .iter()
                .any(|(_, mismatches)| mismatches.weight() > closest.1.weight())
        {
            lines.remove(position.min(lines.len() - 1));
            lines.insert(0, shown(closest, true));
        }
        // A value that is spelled in another way is easily overlooked.
        if let Some(Evidence::Call { index, .. }) = lines.first()
            && let call = &view.trace.calls[*index]
            && let Some(reason) = self.selector.near_miss(call)
        {
            lines.insert(1, Evidence::Words(format!("nearly: {reason}")));
            if let Some(line) = self.selector.near_number(call) {
                let words = format!("numbers are compared by `{line}`");
                lines.insert(2, Evidence::Words(words));
            }
        }
        if self.candidates.len() > SHOWN_CANDIDATES {
            lines.push(Evidence::Words(format!(
                "and {} more",
                self.candidates.len() - SHOWN_CANDIDATES
            )));
        }
        lines
    }

    /// The calls that were made instead.
    fn others(&self, view: &View<'_>) -> Vec<Evidence> {
        let names: Vec<&str> = view
            .calls()
            .map(|index| view.trace.calls[index].name.as_str())
            .collect();
        if names.is_empty() {
            return vec![Evidence::Words("no tool was called".to_owned())];
        }
        let mut lines = vec![Evidence::Words(format!("called: {}", listed(&names)))];
        let ToolName::Exact(matcher) = &self.selector.name else {
            return lines;
        };
        if let Some(name) = nearest(matcher, names) {
            lines.push(Evidence::Words(format!("did you mean `{}`?", short(name))));
        }
        lines
    }
}

/// The calls up to the one that came too early; of the tool whose result is `awaited`, whether it has one.
pub(super) fn calls_so_far(view: &View<'_>, index: usize, awaited: Option<&str>) -> Vec<Evidence> {
    let began = view.trace.calls[index].order;
    let is_so_far = |item: &&TraceItem| item.order(view.trace) <= began;
    let so_far = view.trace.log().iter().take_while(is_so_far);
    let calls = so_far
        .filter_map(|item| match *item {
            TraceItem::Call(call) => Some(call),
            _ => None,
        })
        .filter(|call| view.is_visible(*call))
        .map(|call| &view.trace.calls[call]);
    let names: Vec<Cow<'_, str>> = calls
        .map(|call| {
            let is_answered = call
                .results
                .first()
                .is_some_and(|result| result.order < began);
            if awaited == Some(call.name.as_str()) && !is_answered && call.order < began {
                Cow::Owned(format!("{} (without a result)", short(&call.name)))
            } else {
                Cow::Borrowed(call.name.as_str())
            }
        })
        .collect();
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    vec![
        Evidence::call(index),
        Evidence::Words(format!("called so far: {}", listed(&names))),
    ]
}
