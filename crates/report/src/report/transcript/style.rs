//! How a transcript is written: how much of it, where, how wide, in which colours.

use crate::report::layout::Palette;

/// The width of the gutter with the event numbers, in columns.
pub(super) const GUTTER: usize = 6;

/// Which turns are written with what was said in them; findings are always written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TranscriptScope {
    /// All of them.
    Everything,
    /// The turns with findings, or with a line that a finding of the whole test rests on.
    Excerpt,
    /// None.
    Findings,
}

/// How a transcript is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TranscriptStyle {
    pub(crate) scope: TranscriptScope,
    pub(crate) palette: Palette,
    /// The column at which it begins.
    pub(crate) indent: usize,
    /// The most bytes of one message, argument, result or finding.
    pub(crate) item: usize,
    /// The most bytes of the whole.
    pub(crate) whole: usize,
    /// How many columns a line may have; `None`: lines are not wrapped.
    pub(crate) width: Option<usize>,
    /// Whether the rules that passed are listed.
    pub(crate) held: bool,
    /// The number of the only turn that is written, if not all are.
    pub(crate) only_turn: Option<u32>,
}

impl TranscriptStyle {
    /// As files hold it: at the margin, without colour, never wrapped.
    pub(crate) fn for_files(scope: TranscriptScope) -> Self {
        Self {
            scope,
            palette: Palette::default(),
            indent: 0,
            item: 2 << 10,
            whole: 64 << 10,
            width: None,
            held: false,
            only_turn: None,
        }
    }
}
