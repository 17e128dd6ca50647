//! One level's assert block, checked and filled.

use super::{
    Dropped, Entry, Equals, ExpectedOutcome, Forbid, ForbidCall, Matcher, Measure, MustMatch, MustNotMatch,
    Origin, OutputRule, PerMeasure, Required, Rule, Snapshot, StateRule, Wording,
};
use crate::diagnostic::{Code, Span, Spanned};
use crate::model::{
    AssertBlock, Given, Limit, OneOrMany, OutcomeRule, SnapshotRule, TextRules, TimingLimits, UsageLimits,
};
use crate::outcome::Level;
use crate::variables::Filling;

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
    /// Checks and fills the block of one level; what is known later or was reported is left out.
    pub fn compile(block: Option<&AssertBlock>, level: Level, filling: &mut Filling<'_>) -> Self {
        let mut compiled = Self::default();
        let Some(AssertBlock { tools, timing, text, output, state, outcome, usage, snapshot }) = block else {
            return compiled;
        };
        let mut adding = Adding { level, filling, compiled: &mut compiled };
        if let Some(tools) = tools {
            for name in tools.forbid.iter().flatten() {
                adding.add(name.span, name.span, |filling| Forbid::compile(name, filling).map(Rule::Forbid));
            }
            for entry in tools.require.iter().flatten() {
                adding.add(entry.span, entry.name.span, |filling| {
                    Required::compile(entry, filling).map(Rule::Require)
                });
            }
            for entry in tools.forbid_calls.iter().flatten() {
                adding.add(entry.span, entry.name.span, |filling| {
                    ForbidCall::compile(entry, filling).map(Rule::ForbidCall)
                });
            }
        }
        if let Some(text) = text {
            adding.text(text);
        }
        for written in output.iter().flatten() {
            adding.add(written.span, written.span, |filling| {
                OutputRule::compile(written, filling).map(Box::new).map(Rule::Output)
            });
        }
        for written in state.iter().flatten() {
            adding.add(written.span, written.span, |filling| {
                Matcher::compile(written, filling).map(|matcher| Rule::State(StateRule { matcher }))
            });
        }
        adding.limits(&limits(timing.as_ref(), usage.as_ref()));
        if let Some(outcome) = outcome {
            adding.outcome(outcome);
        }
        if let Some(snapshot) = snapshot {
            adding.snapshot(snapshot);
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

struct Adding<'c, 'f> {
    level: Level,
    filling: &'c mut Filling<'f>,
    compiled: &'c mut Block,
}

impl Adding<'_, '_> {
    fn origin(&self, span: Span) -> Origin {
        Origin { level: self.level, place: self.filling.place(span), span }
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

    fn text(&mut self, rules: &TextRules) {
        let TextRules { must_match, must_not_match, contains, not_contains, equals, of: written } = rules;
        let of = written.as_ref().map(|of| of.value).unwrap_or_default();
        for (list, is_wanted, is_literal) in [
            (must_match, true, false),
            (must_not_match, false, false),
            (contains, true, true),
            (not_contains, false, true),
        ] {
            for text in list.iter().flat_map(|list| &list.0) {
                self.add(text.span, text.span, |filling| {
                    let read = if is_literal { Wording::literal } else { Wording::pattern };
                    let wording = read(text, of, filling)?;
                    Some(if is_wanted {
                        Rule::MustMatch(MustMatch { wording })
                    } else {
                        Rule::MustNotMatch(MustNotMatch { wording })
                    })
                });
            }
        }
        if let Some(OneOrMany(texts)) = equals
            && let [first, ..] = texts.as_slice()
        {
            self.add(first.span, first.span, |filling| Equals::compile(texts, of, filling).map(Rule::Equals));
        }
        let lists = [must_match, must_not_match, contains, not_contains, equals];
        if let (Some(of), true) = (written, lists.iter().all(|list| list.is_none())) {
            let help = "it says what the rules beside it look at: write it where they are";
            self.filling.report(Code::MissingKey, of.span, "`of` stands alone", Some(help.to_owned()));
        }
    }

    fn limits(&mut self, written: &[(Measure, Option<&Spanned<Limit>>)]) {
        for (measure, limit) in written {
            let setting = limit.and_then(|limit| self.setting(limit));
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
