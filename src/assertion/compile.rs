//! What the assert blocks of one level say, block by block.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::block::{Block, Bound, Expectation, Setting};
use super::disabled::Off;
use super::inherit::Dropped;
use super::library::Library;
use super::rule::{Entry, Origin, Rule};
use super::script::Script;
use super::snapshot::Snapshot;
use crate::assertion::content::{ExpectedOutcome, Matcher, OutputRule, StateRule};
use crate::assertion::limits::Measure;
use crate::assertion::sequence::Sequence;
use crate::assertion::text::{Equals, MustMatch, MustNotMatch, Wording};
use crate::assertion::tools::require::Required;
use crate::assertion::tools::{AllowOnly, Forbid, ForbidCall, MaxCalls};
use crate::diagnostic::{Code, Span, Spanned};
use crate::model::{
    AssertBlock, Given, Limit, OneOrMany, OutcomeRule, SnapshotRule, Subagents, Switch, Text, TextOf,
    TextRules, TimingLimits, ToolRules, UsageLimits,
};
use crate::outcome::Level;
use crate::variables::Filling;

/// How many blocks may extend each other one after the other: far more than people write.
const MOST_EXTENDED: usize = 32;

/// A list of texts: its path, what is written, how each is read, and the rule that it becomes.
type TextList<'a> = (
    &'static str,
    &'a Option<Spanned<Switch<OneOrMany<Text>>>>,
    fn(&Text, TextOf, &mut Filling<'_>) -> Option<Wording>,
    &'a dyn Fn(Wording) -> Rule,
);

/// The blocks of one level on their way into one.
pub(super) struct Adding<'c, 'f, 'l> {
    level: Level,
    /// The blocks that others extend by name; `None` where they are left out.
    named: Option<Library<'l>>,
    /// The blocks of the library that were added: each counts once, where it comes first.
    added: BTreeSet<&'l str>,
    /// How many blocks of the library extend each other on the way to here.
    depth: usize,
    filling: &'c mut Filling<'f>,
    compiled: &'c mut Block,
}

impl<'c, 'f, 'l> Adding<'c, 'f, 'l> {
    /// Adds to `compiled`, which holds what the level says so far.
    pub(super) fn new(
        level: Level,
        library: Option<Library<'l>>,
        filling: &'c mut Filling<'f>,
        compiled: &'c mut Block,
    ) -> Self {
        Self { level, named: library, added: BTreeSet::new(), depth: 0, filling, compiled }
    }

    /// Adds a block: first those that it extends, then what it says itself, over them and over what is there.
    pub(super) fn block(&mut self, block: &AssertBlock) {
        let AssertBlock {
            extends,
            tools,
            timing,
            text,
            sequence,
            output,
            state,
            outcome,
            usage,
            snapshot,
            script,
        } = block;
        for name in extends.iter().flatten() {
            self.extend(name);
        }
        let outer = std::mem::take(self.compiled);
        if let Some(tools) = self.switched("tools", tools.as_ref()) {
            self.tools(tools);
        }
        if let Some(text) = self.switched("text", text.as_ref()) {
            self.text(text);
        }
        if let Some(written) = sequence
            && let Some(rule) = self.switched("sequence", Some(written))
        {
            self.add(written.span, written.span, |filling| {
                Sequence::compile(rule, written.span, filling).map(Rule::Sequence)
            });
        }
        for written in self.switched("output", output.as_ref()).into_iter().flatten() {
            self.add(written.span, written.span, |filling| {
                OutputRule::compile(written, filling).map(Box::new).map(Rule::Output)
            });
        }
        for written in self.switched("state", state.as_ref()).into_iter().flatten() {
            self.add(written.span, written.span, |filling| {
                Matcher::compile(written, filling).map(|matcher| Rule::State(StateRule { matcher }))
            });
        }
        for written in self.switched("script", script.as_ref()).into_iter().flatten() {
            let named = written.value.script.as_ref().map_or(written.span, |name| name.span);
            self.add(written.span, named, |filling| Script::compile(written, filling).map(Rule::Script));
        }
        self.limits(timing.as_ref(), usage.as_ref());
        if let Some(outcome) = outcome {
            self.outcome(outcome);
        }
        if let Some(snapshot) = snapshot {
            self.snapshot(snapshot);
        }
        let own = std::mem::replace(self.compiled, outer);
        self.compiled.overlay(own);
    }

    /// Adds a block of the library as if it were written here. How blocks of the library extend each other is checked
    /// by the library.
    fn extend(&mut self, name: &Text) {
        let Some(library) = self.named else { return };
        let Some((known, block)) = library.find(&name.value) else {
            if self.depth == 0 {
                let (message, help) = library.unknown(name);
                self.filling.report(Code::UnknownName, name.span, message, Some(help));
            }
            return;
        };
        if self.depth == MOST_EXTENDED {
            let message = format!("more than {MOST_EXTENDED} blocks of assertions extend each other");
            self.filling.report(Code::LimitExceeded, name.span, message, None);
            return;
        }
        if !self.added.insert(known) {
            return;
        }
        self.filling.in_file(library.source, |filling| {
            let mut adding = Adding {
                level: self.level,
                named: self.named,
                added: std::mem::take(&mut self.added),
                depth: self.depth + 1,
                filling,
                compiled: &mut *self.compiled,
            };
            adding.block(block);
            self.added = adding.added;
        });
    }

    fn origin(&self, span: Span) -> Origin {
        let source = Arc::clone(self.filling.source());
        Origin { level: self.level, place: self.filling.place(span), span, source }
    }

    /// Exact duplicates of one level count once. `underlined` is what stands for the entry where its file is shown.
    fn add(&mut self, span: Span, underlined: Span, compile: impl FnOnce(&mut Filling<'_>) -> Option<Rule>) {
        let Some(rule) = compile(self.filling) else { return };
        let origin = Origin { span: underlined, ..self.origin(span) };
        match self.compiled.entries.iter().find(|entry| entry.rule == rule) {
            Some(known) => {
                let kept = known.origin.clone();
                self.compiled.dropped.push(Dropped { entry: Entry { rule, origin }, kept });
            }
            None => self.compiled.entries.push(Entry { rule, origin }),
        }
    }

    /// The rules that are written, unless a `false` stands in their place.
    fn switched<'m, T>(
        &mut self,
        path: &'static str,
        written: Option<&'m Spanned<Switch<T>>>,
    ) -> Option<&'m T> {
        let written = written?;
        if written.value.on().is_none() {
            let origin = self.origin(written.span);
            self.compiled.off.push(Off { path, origin });
        }
        written.value.on()
    }

    fn tools(&mut self, tools: &ToolRules) {
        let ToolRules { forbid, require, forbid_calls, allow_only, max_calls, subagents } = tools;
        for name in self.switched("tools.forbid", forbid.as_ref()).into_iter().flatten() {
            self.add(name.span, name.span, |filling| Forbid::compile(name, filling).map(Rule::Forbid));
        }
        for entry in self.switched("tools.require", require.as_ref()).into_iter().flatten() {
            let name = entry.name.as_ref().or(entry.name_match.as_ref());
            self.add(entry.span, name.map_or(entry.span, |name| name.span), |filling| {
                Required::compile(entry, filling).map(Box::new).map(Rule::Require)
            });
        }
        for entry in self.switched("tools.forbid_calls", forbid_calls.as_ref()).into_iter().flatten() {
            let name = entry.name.as_ref().or(entry.name_match.as_ref());
            self.add(entry.span, name.map_or(entry.span, |name| name.span), |filling| {
                ForbidCall::compile(entry, filling).map(Box::new).map(Rule::ForbidCall)
            });
        }
        if let Some(written) = allow_only
            && let Some(names) = self.switched("tools.allow_only", Some(written))
        {
            self.add(written.span, written.span, |filling| {
                AllowOnly::compile(names, filling).map(Rule::AllowOnly)
            });
        }
        match max_calls {
            Some(Spanned { value: Limit::Most(given), span }) => {
                let given = Spanned { value: given.clone(), span: *span };
                self.add(*span, *span, |filling| MaxCalls::compile(&given, filling).map(Rule::MaxCalls));
            }
            Some(Spanned { value: Limit::Off, span }) => {
                let origin = self.origin(*span);
                self.compiled.off.push(Off { path: "tools.max_calls", origin });
            }
            None => {}
        }
        if let Some(subagents) = subagents {
            let origin = self.origin(subagents.span);
            self.compiled.subagents = Some((subagents.value == Subagents::Exclude, origin));
        }
    }

    fn text(&mut self, rules: &TextRules) {
        let TextRules { must_match, must_not_match, contains, not_contains, equals, of: written } = rules;
        let of = written.as_ref().map(|of| of.value).unwrap_or_default();
        let must = |wording| Rule::MustMatch(MustMatch { wording });
        let must_not = |wording| Rule::MustNotMatch(MustNotMatch { wording });
        let lists: [TextList<'_>; 4] = [
            ("text.must_match", must_match, Wording::pattern, &must),
            ("text.must_not_match", must_not_match, Wording::pattern, &must_not),
            ("text.contains", contains, Wording::literal, &must),
            ("text.not_contains", not_contains, Wording::literal, &must_not),
        ];
        for (path, list, read, rule) in lists {
            for text in self.switched(path, list.as_ref()).into_iter().flat_map(|list| &list.0) {
                self.add(text.span, text.span, |filling| read(text, of, filling).map(rule));
            }
        }
        if let Some(OneOrMany(texts)) = self.switched("text.equals", equals.as_ref())
            && let [first, ..] = texts.as_slice()
        {
            self.add(first.span, first.span, |filling| Equals::compile(texts, of, filling).map(Rule::Equals));
        }
        if let (Some(of), None) = (written, equals)
            && lists.iter().all(|(_, list, ..)| list.is_none())
        {
            let help = "it says what the rules beside it look at: write it where they are";
            self.filling.report(Code::MissingKey, of.span, "`of` stands alone", Some(help.to_owned()));
        }
    }

    fn limits(
        &mut self,
        timing: Option<&Spanned<Switch<TimingLimits>>>,
        usage: Option<&Spanned<Switch<UsageLimits>>>,
    ) {
        let off = |is_off: bool, span: Option<Span>| span.filter(|_| is_off);
        let timing_off =
            off(timing.is_some_and(|timing| timing.value.on().is_none()), timing.map(|timing| timing.span));
        let usage_off =
            off(usage.is_some_and(|usage| usage.value.on().is_none()), usage.map(|usage| usage.span));
        let timing = timing.and_then(|timing| timing.value.on());
        let usage = usage.and_then(|usage| usage.value.on());
        for measure in Measure::ALL {
            let off = if measure.path().starts_with("timing.") { timing_off } else { usage_off };
            let setting = match off {
                Some(span) => Some(Setting::Off(self.origin(span))),
                None => limit_of(measure, timing, usage).and_then(|limit| self.setting(limit)),
            };
            self.compiled.limits.set(measure, setting);
        }
    }

    fn outcome(&mut self, written: &Spanned<OutcomeRule>) {
        self.compiled.outcome = match &written.value {
            OutcomeRule::Off => Some(Expectation::Off),
            OutcomeRule::Is(is) => {
                let rule = ExpectedOutcome::compile(is, self.filling).map(Rule::Outcome);
                let origin = self.origin(written.span);
                // Its own word stands before any outer one, also while it is not known.
                Some(rule.map_or(Expectation::Off, |rule| Expectation::Is(Entry { rule, origin })))
            }
        };
    }

    fn snapshot(&mut self, written: &Spanned<SnapshotRule>) {
        self.compiled.snapshot = match &written.value {
            SnapshotRule::Off => Some(Expectation::Off),
            SnapshotRule::On | SnapshotRule::Named(_) | SnapshotRule::Of(_) => {
                let rule = Snapshot::compile(written, self.filling).map(Rule::Snapshot);
                let origin = self.origin(written.span);
                rule.map(|rule| Expectation::Is(Entry { rule, origin }))
            }
        };
    }

    fn setting(&mut self, limit: &Spanned<Limit>) -> Option<Setting> {
        let origin = self.origin(limit.span);
        let Limit::Most(given) = &limit.value else { return Some(Setting::Off(origin)) };
        match (self.filling.given(given, limit.span).ready(), given) {
            (Some(most), _) => Some(Setting::Bound(Bound { most, origin })),
            (None, Given::Reference(written)) => Some(Setting::Later(written.clone(), origin)),
            (None, Given::Literal(_)) => None,
        }
    }
}

/// What is written for a measure.
fn limit_of<'m>(
    measure: Measure,
    timing: Option<&'m TimingLimits>,
    usage: Option<&'m UsageLimits>,
) -> Option<&'m Spanned<Limit>> {
    match measure {
        Measure::Duration => timing?.max_duration_ms.as_ref(),
        Measure::Idle => timing?.max_idle_ms.as_ref(),
        Measure::FirstToken => timing?.max_first_token_ms.as_ref(),
        Measure::Tool => timing?.max_tool_ms.as_ref(),
        Measure::InputTokens => usage?.max_input_tokens.as_ref(),
        Measure::OutputTokens => usage?.max_output_tokens.as_ref(),
        Measure::TotalTokens => usage?.max_total_tokens.as_ref(),
    }
}
