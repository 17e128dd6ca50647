//! The report if a walk does not match the steps: the steps against what happened, and the thing that came nearest to the
//! first missing step.

use std::collections::BTreeSet;

use super::matching::{Matched, SHOWN};
use super::step::Steps;
use crate::describe::{listed, literally, said, short};
use crate::evaluation::{Evidence, Finding, View};
use crate::select::Mismatches;
use crate::steps::{StepMatcher, author};
use ananke_base::diagnostic::{Difference, DifferenceLine, Side};
use ananke_model::model::{MessageRole, SequenceMode, TextOf};
use ananke_trace::outcome::brief;
use ananke_trace::trace::{Args, TraceItem};

/// For how many missing steps the nearest thing is looked for.
const EXPLAINED: usize = 20;

/// The most things that are looked at for one of them.
const CANDIDATES: usize = 1000;

/// The most events that a failure cites.
const CITED: usize = 100;

/// Steps and things that do not go together.
pub(super) struct SequenceMiss<'m> {
    pub(super) steps: &'m Steps,
    pub(super) items: &'m [TraceItem],
    pub(super) matched: &'m Matched,
    pub(super) view: &'m View<'m>,
}

/// The thing that comes nearest to a missing step.
struct Nearest {
    step: usize,
    item: usize,
    mismatches: Mismatches,
}

impl SequenceMiss<'_> {
    pub(super) fn finding(&self) -> Finding {
        let assigned: BTreeSet<usize> = self.matched.assigned.iter().flatten().copied().collect();
        let nearest = self.nearest(&assigned);
        let left_over = self.left_over(&assigned);
        let scope = self.view.scope.this();
        let first = self.matched.missing().next();
        let of_first = nearest
            .first()
            .filter(|nearest| Some(nearest.step) == first);
        let (message, evidence) = if let Some(step) = first {
            let (number, of) = (step + 1, self.steps.all.len());
            let wanted = self.steps.all[step].describe();
            let is_there = of_first.is_some_and(|nearest| nearest.mismatches.count() == 0);
            let how = if is_there {
                "is out of order"
            } else {
                "is missing"
            };
            let message = format!("step {number} of {of} {how} in {scope}: {wanted}");
            (
                message,
                of_first.map_or_else(
                    || self.instead(step),
                    |nearest| vec![self.evidence(nearest)],
                ),
            )
        } else {
            let beyond = left_over.first().map(|item| self.beyond(self.items[*item]));
            let (what, evidence) = beyond.unwrap_or_default();
            (
                format!("{what} in {scope}, which no remaining step matches"),
                evidence,
            )
        };
        let of_nearest = nearest.iter().map(|nearest| nearest.item);
        let events = of_nearest.chain(left_over.iter().copied()).take(CITED);
        let events = events
            .filter_map(|item| self.items[item].event(self.view.trace))
            .collect();
        let difference = Some(self.difference(&nearest, &left_over));
        let expected = self.steps.expected.clone();
        Finding {
            message,
            expected,
            evidence,
            events,
            difference,
            ..Finding::default()
        }
    }

    /// The things that no step takes though there may be none, as many as are shown.
    fn left_over(&self, assigned: &BTreeSet<usize>) -> Vec<usize> {
        let shown = if self.matched.left_over > 0 {
            self.steps.all.len() + SHOWN
        } else {
            0
        };
        (0..self.items.len().min(shown))
            .filter(|item| !assigned.contains(item))
            .collect()
    }

    /// For each of the first steps that are missing the thing that lacks least to be it, each thing for one step.
    fn nearest(&self, assigned: &BTreeSet<usize>) -> Vec<Nearest> {
        let mut used = assigned.clone();
        let mut found = Vec::new();
        for step in self.matched.missing().take(EXPLAINED) {
            let wanted = &self.steps.all[step];
            let free = (0..self.items.len()).filter(|item| !used.contains(item));
            let mismatches = free
                .filter_map(|item| {
                    Some((item, wanted.mismatches(self.view.trace, self.items[item])?))
                })
                .take(CANDIDATES);
            if let Some((item, mismatches)) =
                mismatches.min_by_key(|(_, mismatches)| mismatches.weight())
            {
                used.insert(item);
                found.push(Nearest {
                    step,
                    item,
                    mismatches,
                });
            }
        }
        found
    }

    fn evidence(&self, nearest: &Nearest) -> Evidence {
        let mut focus = nearest.mismatches.focus();
        let fits = "it matches, but not in this place";
        if nearest.mismatches.count() == 0 {
            focus.words.push(fits.to_owned());
        }
        let item = self.items[nearest.item];
        let Some(index) = item.call() else {
            let text = self.text(item);
            return Evidence::Words(format!("{}: {}", said(&text), focus.words.join("; ")));
        };
        Evidence::Call {
            index,
            focus,
            is_closest: false,
        }
    }

    /// The text of a message.
    fn text(&self, item: TraceItem) -> String {
        let message = item.message(self.view.trace);
        message.map_or_else(String::new, |message| literally(&message.text))
    }

    /// The evidence if nothing comes near to a step.
    fn instead(&self, step: usize) -> Vec<Evidence> {
        let trace = self.view.trace;
        let words = |verb: &str, none: &str, is_wanted: fn(TraceItem) -> bool| {
            let wanted = self.items.iter().filter(|item| is_wanted(**item));
            let names: Vec<&str> = wanted
                .filter_map(|item| Some(trace.calls[item.call()?].name.as_str()))
                .collect();
            if names.is_empty() {
                none.to_owned()
            } else {
                format!("{verb}: {}", listed(&names))
            }
        };
        let is_call = |item| matches!(item, TraceItem::Call(_));
        let is_result = |item| matches!(item, TraceItem::Result { .. });
        vec![Evidence::Words(match &self.steps.all[step].matcher {
            StepMatcher::Call(_) => words("called", "no tool was called", is_call),
            StepMatcher::Result(_) => words("answered", "no call was answered", is_result),
            StepMatcher::Message {
                by: MessageRole::Assistant,
                ..
            } => said(&short(&self.view.text(TextOf::All))),
            StepMatcher::Message {
                by: MessageRole::User,
                ..
            } => return Vec::new(),
        })]
    }

    fn beyond(&self, item: TraceItem) -> (String, Vec<Evidence>) {
        let evidence = item
            .call()
            .map_or_else(|| Evidence::Words(said(&self.text(item))), Evidence::call);
        (self.view.describe(item), vec![evidence])
    }

    /// The steps that are missing as what is gone, what came in their places as what is new.
    fn difference(&self, nearest: &[Nearest], left_over: &[usize]) -> Difference {
        let mut lines = Vec::new();
        let mut push = |side: Side, text: String| lines.push(DifferenceLine { side, text });
        let width = self.steps.all.len().to_string().len();
        let numbered = |step: usize, text: &str| format!("{:>width$}. {text}", step + 1);
        let unnumbered = |item: usize| format!("{:width$}  {}", "", self.line(self.items[item]));
        let in_order = self.steps.mode == SequenceMode::Exact;
        let mut rest = left_over.iter().copied().peekable();
        for step in 0..self.steps.all.len() {
            if let Some(item) = self.matched.assigned[step] {
                while let Some(before) = rest.next_if(|rest| in_order && *rest < item) {
                    push(Side::New, unnumbered(before));
                }
                push(Side::Both, numbered(step, &self.line(self.items[item])));
            } else if self.matched.required[step] {
                let wanted = self.steps.all[step].describe();
                push(Side::Old, numbered(step, &self.view.redactor.text(&wanted)));
                let near = nearest
                    .iter()
                    .find(|nearest| nearest.step == step && !left_over.contains(&nearest.item));
                if let Some(near) = near {
                    push(Side::New, unnumbered(near.item));
                }
            }
        }
        for item in rest {
            push(Side::New, unnumbered(item));
        }
        let mut difference = Difference::of(&lines);
        difference.left_out += self.matched.left_over - left_over.len();
        difference
    }

    /// An item as a line of a difference: without secrets, since long lines are truncated there.
    fn line(&self, item: TraceItem) -> String {
        let trace = self.view.trace;
        let line = match item {
            TraceItem::Call(call) => {
                let call = &trace.calls[call];
                let args = match call.args() {
                    Args::Json(value) if !call.args_text.trim().is_empty() => brief(value),
                    _ => literally(call.args_text.trim()),
                };
                format!("call {}({args})", literally(&call.name))
            }
            TraceItem::Result { call, .. } => {
                let call = &trace.calls[call];
                let (text, error) = item.result(trace).map_or(("", ""), |result| {
                    (
                        result.text.as_str(),
                        if result.is_error == Some(true) {
                            ", an error"
                        } else {
                            ""
                        },
                    )
                });
                format!(
                    "result of {}{error}: {}",
                    literally(&call.name),
                    literally(text)
                )
            }
            TraceItem::Message(_)
            | TraceItem::Answer { .. }
            | TraceItem::State(_)
            | TraceItem::ModelCall(_) => {
                let whose = match item.message(trace).and_then(author) {
                    Some(MessageRole::User) => "user",
                    Some(MessageRole::Assistant) | None => "agent",
                };
                format!("{whose}: {}", self.text(item))
            }
        };
        self.view.redactor.text(&line).into_owned()
    }
}
