//! One level's assert block, checked and filled.

use std::collections::BTreeSet;

use super::{
    Dropped, Entry, ExpectedOutcome, Forbid, ForbidCall, Library, Matcher, Measure, MustMatch, MustNotMatch,
    Origin, PerMeasure, Required, Rule, Snapshot, StateRule,
};
use crate::diagnostic::{Code, Span, Spanned};
use crate::model::{AssertBlock, Given, Limit, OutcomeRule, SnapshotRule, Text, TimingLimits, UsageLimits};
use crate::outcome::Level;
use crate::variables::Filling;

/// How many blocks may extend each other one after the other: far more than people write.
const MOST_EXTENDED: usize = 32;

/// The rules of one level, each with its origin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// The rules of lists, in the order of the file.
    pub entries: Vec<Entry>,
    /// What stands twice, in the order of the file.
    pub dropped: Vec<Dropped>,
    /// The limits of `timing` and `usage`.
    pub limits: PerMeasure<Setting>,
    /// `outcome`
    pub outcome: Option<Expectation>,
    /// `snapshot`
    pub snapshot: Option<Expectation>,
    /// Whether it is the block of a turn that is told what was before: it then stands alone (SPEC 6).
    pub is_replay: bool,
}

/// What a level says about how a run must end, or about a snapshot: one word, which inner levels override.
#[derive(Clone, Debug, PartialEq)]
pub enum Expectation {
    /// `false`: what outer levels say does not apply.
    Off,
    /// So.
    Is(Entry),
}

/// What a level says about a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// `false`: what outer levels say does not apply.
    Off(Origin),
    /// This limit applies.
    Bound(Bound),
    /// A limit that is known later, as it is written.
    Later(String, Origin),
}

impl Setting {
    /// Who wrote it.
    pub fn origin(&self) -> &Origin {
        match self {
            Self::Off(origin) | Self::Later(_, origin) => origin,
            Self::Bound(bound) => &bound.origin,
        }
    }

    /// What it allows, in words.
    pub fn describe(&self, measure: Measure) -> String {
        match self {
            Self::Off(_) => "no limit".to_owned(),
            Self::Bound(bound) => format!("{} {}", bound.most, measure.unit()),
            Self::Later(written, _) => format!("{written} {}", measure.unit()),
        }
    }
}

/// A limit in milliseconds or tokens; equal to it passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The largest number that passes.
    pub most: u64,
    /// Who wrote it.
    pub origin: Origin,
}

impl Bound {
    /// Whether so many of its own unit pass.
    pub fn admits(&self, count: u64) -> bool {
        count <= self.most
    }

    /// Whether a time of so many microseconds passes.
    pub fn admits_micros(&self, micros: u64) -> bool {
        micros <= self.most.saturating_mul(1000)
    }
}

impl Block {
    /// Checks and fills the blocks of one level, outer first: what a later one says is merged as that of an inner level
    /// is. What is known later or was reported is left out. Without a `library` what they extend is left out too.
    pub fn compile<'b>(
        blocks: impl IntoIterator<Item = &'b AssertBlock>,
        level: Level,
        library: Option<Library<'_>>,
        filling: &mut Filling<'_>,
    ) -> Self {
        let mut compiled = Self::default();
        for block in blocks {
            let added = BTreeSet::new();
            Adding { level, library, added, depth: 0, filling, compiled: &mut compiled }.block(block);
        }
        compiled
    }
}

/// What is written for each measure.
fn limits<'m>(
    timing: Option<&'m TimingLimits>,
    usage: Option<&'m UsageLimits>,
) -> [(Measure, Option<&'m Spanned<Limit>>); Measure::ALL.len()] {
    Measure::ALL.map(|measure| {
        let written = match measure {
            Measure::Duration => timing.and_then(|timing| timing.max_duration_ms.as_ref()),
            Measure::Idle => timing.and_then(|timing| timing.max_idle_ms.as_ref()),
            Measure::FirstToken => timing.and_then(|timing| timing.max_first_token_ms.as_ref()),
            Measure::Tool => timing.and_then(|timing| timing.max_tool_ms.as_ref()),
            Measure::InputTokens => usage.and_then(|usage| usage.max_input_tokens.as_ref()),
            Measure::OutputTokens => usage.and_then(|usage| usage.max_output_tokens.as_ref()),
            Measure::TotalTokens => usage.and_then(|usage| usage.max_total_tokens.as_ref()),
        };
        (measure, written)
    })
}

struct Adding<'c, 'f, 'l> {
    level: Level,
    library: Option<Library<'l>>,
    /// The blocks of the library that were added: each counts once, where it comes first.
    added: BTreeSet<&'l str>,
    /// How many blocks of the library extend each other on the way to here.
    depth: usize,
    filling: &'c mut Filling<'f>,
    compiled: &'c mut Block,
}

impl Adding<'_, '_, '_> {
    fn origin(&self, span: Span) -> Origin {
        Origin { level: self.level, place: self.filling.place(span), span }
    }

    fn block(&mut self, block: &AssertBlock) {
        let AssertBlock { extends, tools, timing, text, state, outcome, usage, snapshot } = block;
        for name in extends.iter().flatten() {
            self.extend(name);
        }
        if let Some(tools) = tools {
            for name in tools.forbid.iter().flatten() {
                self.add(name.span, name.span, |filling| Forbid::compile(name, filling).map(Rule::Forbid));
            }
            for entry in tools.require.iter().flatten() {
                self.add(entry.span, entry.name.span, |filling| {
                    Required::compile(entry, filling).map(Rule::Require)
                });
            }
            for entry in tools.forbid_calls.iter().flatten() {
                self.add(entry.span, entry.name.span, |filling| {
                    ForbidCall::compile(entry, filling).map(Rule::ForbidCall)
                });
            }
        }
        if let Some(text) = text {
            for pattern in text.must_match.iter().flat_map(|list| &list.0) {
                self.add(pattern.span, pattern.span, |filling| {
                    MustMatch::compile(pattern, filling).map(Rule::MustMatch)
                });
            }
            for pattern in text.must_not_match.iter().flat_map(|list| &list.0) {
                self.add(pattern.span, pattern.span, |filling| {
                    MustNotMatch::compile(pattern, filling).map(Rule::MustNotMatch)
                });
            }
        }
        for written in state.iter().flatten() {
            self.add(written.span, written.span, |filling| {
                Matcher::compile(written, filling).map(|matcher| Rule::State(StateRule { matcher }))
            });
        }
        self.limits(&limits(timing.as_ref(), usage.as_ref()));
        if let Some(outcome) = outcome {
            self.outcome(outcome);
        }
        if let Some(snapshot) = snapshot {
            self.snapshot(snapshot);
        }
    }

    /// Adds a block of the library as if it were written here. How blocks of the library extend each other is checked
    /// by the library.
    fn extend(&mut self, name: &Text) {
        let Some(library) = self.library else { return };
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
        let mut filling = self.filling.of_file(library.source);
        let mut adding = Adding {
            level: self.level,
            library: self.library,
            added: std::mem::take(&mut self.added),
            depth: self.depth + 1,
            filling: &mut filling,
            compiled: &mut *self.compiled,
        };
        adding.block(block);
        self.added = adding.added;
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

    fn limits(&mut self, written: &[(Measure, Option<&Spanned<Limit>>)]) {
        for (measure, limit) in written {
            let Some(limit) = limit else { continue };
            let setting = self.setting(limit);
            self.compiled.limits.set(*measure, setting);
        }
    }

    fn outcome(&mut self, written: &Spanned<OutcomeRule>) {
        self.compiled.outcome = match &written.value {
            OutcomeRule::Off => Some(Expectation::Off),
            OutcomeRule::Is(is) => {
                let rule = ExpectedOutcome::compile(is, self.filling).map(Rule::Outcome);
                let origin = self.origin(written.span);
                rule.map(|rule| Expectation::Is(Entry { rule, origin }))
            }
        };
    }

    fn snapshot(&mut self, written: &Spanned<SnapshotRule>) {
        self.compiled.snapshot = match &written.value {
            SnapshotRule::Off => Some(Expectation::Off),
            SnapshotRule::On | SnapshotRule::Named(_) | SnapshotRule::Of(_) => {
                let rule = Snapshot::compile(written, self.filling).map(|mut snapshot| {
                    if let Some(Expectation::Is(Entry { rule: Rule::Snapshot(outer), .. })) =
                        &self.compiled.snapshot
                    {
                        snapshot.inherit(&outer.volatile);
                    }
                    Rule::Snapshot(snapshot)
                });
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
