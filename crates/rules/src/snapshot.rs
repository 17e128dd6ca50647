//! `snapshot`: what the agent did in the scope is what a golden file says.
//!
//! What the file says comes with the rule, what was captured leaves with its judgement: nothing here reads or writes a
//! file.

use std::sync::Arc;

use super::block::{Block, Expectation};
use super::collector::Collector;
use super::evaluation::{Judgement, Moment, Monitor, RuleScope, View};
use super::rule::{Rule, RuleEntry};
use crate::evaluation::Captured;
use ananke_base::diagnostic::{Code, Spanned};
use ananke_model::model::{AssertBlock, SnapshotOf, SnapshotRule, Text};
use ananke_model::variables::{Fill as _, Interpolation, Patterns, Piece, scan};
use ananke_trace::golden::{self, ConversationPart, Format, Golden, GoldenText, MaskPath, States};
use ananke_trace::trace::{Fact, Facts};

/// A conversation, or a turn of it, that must go as it went before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Snapshot {
    /// The name of its file, if the rule gives one.
    pub name: Option<String>,
    /// Its file; `None` until a plan knows it.
    pub golden: Option<Golden>,
    /// The parts of it that are masked.
    volatile: Vec<MaskPath>,
    /// The turns that the snapshot of a test omits, counted from 0.
    left_out: Vec<usize>,
}

pub(crate) fn compile(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    let Some(written) = &block.snapshot else {
        return;
    };
    collector.block.snapshot = match &written.value {
        SnapshotRule::Off => Some(Expectation::Off),
        SnapshotRule::On | SnapshotRule::Named(_) | SnapshotRule::Of(_) => {
            let snapshot = Snapshot::compile(written, collector.interpolation);
            snapshot.map(|snapshot| Expectation::Is(collector.entry(snapshot, written.span)))
        }
    };
}

/// The snapshot of the innermost level, which masks all that it and the levels around it mask; `false` ends them all.
pub(crate) fn innermost(levels: &[&Block]) -> Option<RuleEntry> {
    levels.iter().fold(None, |outer: Option<RuleEntry>, level| {
        match &level.snapshot {
            None => outer,
            Some(Expectation::Off) => None,
            Some(Expectation::Is(own)) => Some(match outer {
                Some(outer) => widened(own, &outer),
                None => own.clone(),
            }),
        }
    })
}

/// A snapshot that masks all that the one around it masks as well.
pub(crate) fn widened(own: &RuleEntry, outer: &RuleEntry) -> RuleEntry {
    with(own, |own| {
        let outer = outer
            .rule::<Snapshot>()
            .map(|outer| outer.volatile.as_slice())
            .unwrap_or_default();
        let mut volatile = outer.to_vec();
        volatile.extend(own.volatile.drain(..).filter(|own| !outer.contains(own)));
        own.volatile = volatile;
    })
}

/// A snapshot of a test without these turns.
pub(crate) fn without_turns(entry: &RuleEntry, turns: Vec<usize>) -> RuleEntry {
    with(entry, |snapshot| snapshot.left_out = turns)
}

/// A snapshot with its golden file.
pub fn with_golden(entry: &RuleEntry, golden: Golden) -> RuleEntry {
    with(entry, |snapshot| snapshot.golden = Some(golden))
}

/// The snapshot of an entry, changed.
fn with(entry: &RuleEntry, change: impl FnOnce(&mut Snapshot)) -> RuleEntry {
    let mut snapshot = entry.rule::<Snapshot>().cloned().unwrap_or_default();
    change(&mut snapshot);
    RuleEntry {
        rule: Arc::new(snapshot),
        ..entry.clone()
    }
}

impl Snapshot {
    /// Checks a snapshot that is not switched off.
    fn compile(
        written: &Spanned<SnapshotRule>,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        let of = match &written.value {
            SnapshotRule::Off => return None,
            SnapshotRule::On => SnapshotOf {
                name: None,
                volatile: None,
            },
            SnapshotRule::Named(name) => {
                let name = Spanned {
                    value: name.clone(),
                    span: written.span,
                };
                SnapshotOf {
                    name: Some(name),
                    volatile: None,
                }
            }
            SnapshotRule::Of(of) => of.clone(),
        };
        let name = match &of.name {
            Some(text) => literal(text, interpolation).map(Some),
            None => Some(None),
        };
        let volatile: Vec<Option<MaskPath>> = of
            .volatile
            .iter()
            .flatten()
            .map(|text| volatile(text, interpolation))
            .collect();
        // A path that is known later shows nothing before, and is checked then.
        Some(Self {
            name: name?,
            volatile: volatile.into_iter().flatten().collect(),
            ..Self::default()
        })
    }
}

impl Rule for Snapshot {
    fn is_exhaustive(&self) -> bool {
        true
    }

    fn needs(&self) -> Facts {
        Facts::of(&[Fact::Events])
    }

    fn describe(&self) -> String {
        let golden = self
            .golden
            .as_ref()
            .map(|golden| format!(" `{}`", golden.shown))
            .unwrap_or_default();
        let mut words = vec![format!("the snapshot{golden}")];
        let turns: Vec<String> = self
            .left_out
            .iter()
            .map(|turn| (turn + 1).to_string())
            .collect();
        if !turns.is_empty() {
            let plural = if turns.len() == 1 { "" } else { "s" };
            words.push(format!("without turn{plural} {}", turns.join(", ")));
        }
        let paths: Vec<String> = self
            .volatile
            .iter()
            .map(|path| format!("`{}`", path.as_str()))
            .collect();
        if !paths.is_empty() {
            words.push(format!("apart from {}", paths.join(", ")));
        }
        words.join(", ")
    }

    fn monitor(&self, _: &mut Patterns) -> Result<Box<dyn Monitor>, regex::Error> {
        Ok(Box::new(SnapshotMonitor {
            snapshot: self.clone(),
            states: States::default(),
        }))
    }
}

/// A name that is known before anything runs, since its file is found by it (SPEC 1, Identity).
fn literal(text: &Text, interpolation: &mut Interpolation<'_>) -> Option<String> {
    let refers = |pieces: Vec<Piece<'_>>| {
        pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Reference(_)))
    };
    if scan(text).is_ok_and(refers) {
        let help = "write the name out, or leave it away: the file is then named after the test";
        let message =
            "the name of a snapshot holds a variable, and it is to be the same in every run";
        interpolation.report(Code::BadValue, text.span, message, Some(help.to_owned()));
        return None;
    }
    let name = interpolation.text(text).ok()?;
    if name.trim().is_empty() {
        // The schema reports an empty text.
        if !name.is_empty() {
            interpolation.report(
                Code::EmptyValue,
                text.span,
                "the name of a snapshot cannot be blank",
                None,
            );
        }
        return None;
    }
    Some(name)
}

fn volatile(text: &Text, interpolation: &mut Interpolation<'_>) -> Option<MaskPath> {
    if interpolation.waits(text) {
        return None;
    }
    text.fill(interpolation).ok()
}

/// Notes the states of the turns; the trace has the rest when its scope is over.
struct SnapshotMonitor {
    snapshot: Snapshot,
    states: States,
}

impl Monitor for SnapshotMonitor {
    fn watch(&mut self, view: &View<'_>, moment: Moment) -> Judgement {
        let Snapshot {
            volatile,
            left_out,
            golden,
            ..
        } = &self.snapshot;
        let trace = view.trace;
        let running = trace.turns.len().saturating_sub(1);
        match moment {
            Moment::Touched(_) => return Judgement::Open,
            Moment::TurnEnd => {
                let is_replay = trace.turns.last().is_some_and(|turn| turn.input.is_replay);
                if !(view.scope == RuleScope::Test && (is_replay || left_out.contains(&running))) {
                    self.states.note(running, trace.state.value(), volatile);
                }
                return Judgement::Open;
            }
            Moment::ScopeEnd | Moment::TestEnd => {}
        }
        let part = match view.scope {
            RuleScope::Turn(turn) => ConversationPart::Turn(turn),
            RuleScope::Test => ConversationPart::Test { left_out },
        };
        let text = GoldenText {
            trace,
            states: &self.states,
            part,
            volatile,
            redactor: view.redactor,
        };
        let golden = golden.clone().unwrap_or_default();
        let kept = golden.text.as_deref();
        let format = kept.map_or(Format::Began, Format::of);
        let ordered = text.rendered(format);
        let text = text.render(Format::Began);
        // A file whose order is the same in both formats stays as it is.
        let has_one_order = text.lines().skip(1).eq(ordered.text.lines().skip(1));
        let comparable = match kept {
            Some(kept) => ordered.spelled_as(kept),
            None => ordered.text,
        };
        match kept {
            Some(kept) if has_one_order && !golden::differs(kept, &comparable) => Judgement::Passed,
            _ => Judgement::SnapshotDiffers(Box::new(Captured {
                golden,
                text,
                comparable,
            })),
        }
    }
}
