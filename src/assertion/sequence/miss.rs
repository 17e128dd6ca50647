//! What is told where what happened does not go with the steps: the steps beside what happened, and what came nearest to
//! the first step that is missing.

use std::collections::BTreeSet;

use super::matching::{Matched, SHOWN};
use super::sequence::{Sequence, Watching};
use super::step::Wants;
use super::walk::Item;
use crate::assertion::describe::{listed, literally, said, short};
use crate::assertion::judge::{Finding, Scope, Seen, Told};
use crate::assertion::select::Misfits;
use crate::diagnostic::{Difference, DifferenceLine, Side};
use crate::model::{SaidBy, SequenceMode, TextOf};

/// For how many missing steps the nearest thing is looked for.
const EXPLAINED: usize = 20;

/// How many things are looked at for one of them.
const CANDIDATES: usize = 1000;

/// How many events a failure cites.
const CITED: usize = 100;

/// Steps and things that do not go together.
pub(crate) struct Miss<'m> {
    pub(crate) rule: &'m Sequence,
    pub(crate) watching: &'m Watching,
    pub(crate) items: &'m [Item],
    pub(crate) matched: &'m Matched,
    pub(crate) scope: &'m Scope<'m>,
}

/// What comes nearest to a missing step.
struct Nearest {
    step: usize,
    item: usize,
    misfits: Misfits,
}

impl Miss<'_> {
    pub(crate) fn told(&self) -> Told {
        let taken: BTreeSet<usize> = self.matched.taken.iter().flatten().copied().collect();
        let nearest = self.nearest(&taken);
        let left_over = self.left_over(&taken);
        let home = self.scope.home.this();
        let first = self.matched.missing().next();
        let of_first = nearest.first().filter(|nearest| Some(nearest.step) == first);
        let (message, seen) = if let Some(step) = first {
            let (number, of) = (step + 1, self.rule.steps.len());
            let wanted = self.rule.steps[step].describe();
            let is_there = of_first.is_some_and(|nearest| nearest.misfits.count() == 0);
            let how = if is_there { "does not come in its place" } else { "is missing" };
            let message = format!("step {number} of {of} {how} in {home}: {wanted}");
            (message, of_first.map_or_else(|| self.instead(step), |nearest| vec![self.came(nearest)]))
        } else {
            let beyond = left_over.first().map(|item| self.beyond(self.items[*item]));
            let (what, seen) = beyond.unwrap_or_default();
            (format!("{what} in {home}, and no step is left for it"), seen)
        };
        let of_nearest = nearest.iter().map(|nearest| nearest.item);
        let events = of_nearest.chain(left_over.iter().copied()).take(CITED);
        let events = events.map(|item| self.items[item].event(self.scope.trace)).collect();
        let finding = Finding { message, expected: self.watching.expected.clone(), seen, events };
        let difference = Some(self.difference(&nearest, &left_over));
        Told { finding, difference, help: None }
    }

    /// The things that no step takes though there may be none, as many as are shown.
    fn left_over(&self, taken: &BTreeSet<usize>) -> Vec<usize> {
        let shown = if self.matched.left_over > 0 { self.rule.steps.len() + SHOWN } else { 0 };
        (0..self.items.len().min(shown)).filter(|item| !taken.contains(item)).collect()
    }

    /// For each of the first steps that are missing the thing that lacks least to be it, each thing for one step.
    fn nearest(&self, taken: &BTreeSet<usize>) -> Vec<Nearest> {
        let mut used = taken.clone();
        let mut found = Vec::new();
        for step in self.matched.missing().take(EXPLAINED) {
            let fitting = &self.watching.steps[step];
            let free = (0..self.items.len()).filter(|item| !used.contains(item));
            let misfits = free
                .filter_map(|item| Some((item, fitting.misfits(self.scope.trace, self.items[item])?)))
                .take(CANDIDATES);
            if let Some((item, misfits)) = misfits.min_by_key(|(_, misfits)| misfits.weight()) {
                used.insert(item);
                found.push(Nearest { step, item, misfits });
            }
        }
        found
    }

    fn came(&self, nearest: &Nearest) -> Seen {
        let mut misfits = nearest.misfits.lines();
        if misfits.is_empty() {
            misfits.push("it fits, and comes out of its place".to_owned());
        }
        match self.items[nearest.item] {
            Item::Call(index) | Item::Result(index) => Seen::Miss { index, misfits, is_closer: false },
            Item::Message { index, .. } => {
                let text = literally(&self.scope.trace.messages[index].text);
                Seen::Words(format!("{}: {}", said(&text), misfits.join("; ")))
            }
        }
    }

    /// What there is where nothing comes near to a step.
    fn instead(&self, step: usize) -> Vec<Seen> {
        let trace = self.scope.trace;
        let names = |wanted: fn(Item) -> Option<usize>| -> Vec<&str> {
            self.items.iter().filter_map(|item| Some(trace.calls[wanted(*item)?].name.as_str())).collect()
        };
        let words = |verb: &str, none: &str, names: Vec<&str>| {
            if names.is_empty() { none.to_owned() } else { format!("{verb}: {}", listed(&names)) }
        };
        let call = |item| if let Item::Call(call) = item { Some(call) } else { None };
        let result = |item| if let Item::Result(call) = item { Some(call) } else { None };
        vec![Seen::Words(match &self.rule.steps[step].wants {
            Wants::Call(_) => words("called", "no tool was called", names(call)),
            Wants::Result(_) => words("answered", "no call was answered", names(result)),
            Wants::Message { by: SaidBy::Assistant, .. } => said(&short(&self.scope.text(TextOf::All))),
            Wants::Message { by: SaidBy::User, .. } => return Vec::new(),
        })]
    }

    fn beyond(&self, item: Item) -> (String, Vec<Seen>) {
        let trace = self.scope.trace;
        let name = |call: usize| short(&trace.calls[call].name);
        match item {
            Item::Call(index) => {
                (format!("`{}` was called", name(index)), vec![Seen::Call { index, misfit: None }])
            }
            Item::Result(index) => {
                (format!("`{}` was answered", name(index)), vec![Seen::Call { index, misfit: None }])
            }
            Item::Message { index, by } => {
                let whose = if by == SaidBy::User { "the user" } else { "the agent" };
                let text = literally(&trace.messages[index].text);
                (format!("{whose} said something"), vec![Seen::Words(said(&text))])
            }
        }
    }

    /// The steps that are missing as what is gone, what came in their places as what is new.
    fn difference(&self, nearest: &[Nearest], left_over: &[usize]) -> Difference {
        let mut lines = Vec::new();
        let mut push = |side: Side, text: String| lines.push(DifferenceLine { side, text });
        let width = self.rule.steps.len().to_string().len();
        let numbered = |step: usize, text: &str| format!("{:>width$}. {text}", step + 1);
        let unnumbered = |item: usize| format!("{:width$}  {}", "", self.line(self.items[item]));
        let in_order = self.rule.mode == SequenceMode::Exact;
        let mut rest = left_over.iter().copied().peekable();
        for step in 0..self.rule.steps.len() {
            if let Some(item) = self.matched.taken[step] {
                while let Some(before) = rest.next_if(|rest| in_order && *rest < item) {
                    push(Side::New, unnumbered(before));
                }
                push(Side::Both, numbered(step, &self.line(self.items[item])));
            } else if self.matched.owed[step] {
                let wanted = self.rule.steps[step].describe();
                push(Side::Old, numbered(step, &self.scope.redactor.text(&wanted)));
                let near =
                    nearest.iter().find(|nearest| nearest.step == step && !left_over.contains(&nearest.item));
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

    /// An item as a line of a difference: without secrets, since differences are cut where they are long.
    fn line(&self, item: Item) -> String {
        let trace = self.scope.trace;
        let line = match item {
            Item::Call(call) => {
                let call = &trace.calls[call];
                format!("call {}({})", literally(&call.name), literally(call.args_text.trim()))
            }
            Item::Result(call) => {
                let call = &trace.calls[call];
                let (text, error) = call.result().map_or(("", ""), |result| {
                    (result.text.as_str(), if result.is_error == Some(true) { ", an error" } else { "" })
                });
                format!("result of {}{error}: {}", literally(&call.name), literally(text))
            }
            Item::Message { index, by } => {
                let whose = if by == SaidBy::User { "user" } else { "agent" };
                format!("{whose}: {}", literally(&trace.messages[index].text))
            }
        };
        self.scope.redactor.text(&line).into_owned()
    }
}
