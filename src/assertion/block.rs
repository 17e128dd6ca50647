//! One level's rules, checked and filled.

use super::compile::Adding;
use super::disabled::Off;
use super::inherit::{Dropped, Replaced};
use super::library::Library;
use super::rule::{Entry, Origin};
use crate::assertion::limits::{Measure, PerMeasure};
use crate::model::AssertBlock;
use crate::outcome::Level;
use crate::variables::Filling;

/// The rules of one level, each with its origin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// The rules of lists, in the order of the file.
    pub entries: Vec<Entry>,
    /// What stands twice, in the order of the file.
    pub dropped: Vec<Dropped>,
    /// What one block of this level writes and a later one says otherwise.
    pub replaced: Vec<Replaced>,
    /// What of outer levels does not apply, in the order of the file.
    pub off: Vec<Off>,
    /// Whether calls of subagents are left out, and who says so.
    pub subagents: Option<(bool, Origin)>,
    /// The limits of `timing` and `usage`.
    pub limits: PerMeasure<Setting>,
    /// What one block of this level says about a limit and a later one says otherwise, in the order of the file.
    pub replaced_limits: Vec<(Measure, Setting)>,
    /// `outcome`
    pub outcome: Option<Expectation>,
    /// `snapshot`
    pub snapshot: Option<Expectation>,
    /// Whether it is the block of a turn that is told what was before: it then stands alone (SPEC 6).
    pub is_replay: bool,
}

/// What a level says about how a run must end, or about a snapshot: one word, which inner levels override.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a block has two of them")]
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
            Self::Bound(bound) => bound.describe(measure),
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
    /// What it allows, in words.
    pub fn describe(&self, measure: Measure) -> String {
        format!("{} {}", self.most, measure.unit())
    }

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
            Adding::new(level, library, filling, &mut compiled).block(block);
        }
        compiled
    }

    /// Whether calls of subagents are left out, as far as this level says; `tools: false` says that they are not.
    pub(super) fn leaves_subagents_out(&self) -> Option<bool> {
        let is_off = self.off.iter().any(|off| off.covers("tools.subagents"));
        self.subagents.as_ref().map(|(without, _)| *without).or_else(|| is_off.then_some(false))
    }
}
