//! The style of a transcript: its scope, its headline, its width and its colours.

use crate::report::layout::Palette;

/// The width of the gutter with the marks of events, in columns.
pub(super) const GUTTER: usize = 4;

/// The width of a label and what is after it, in columns.
pub(super) const LABEL: usize = 9;

/// The turns that are written with their messages and calls; findings are always written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TranscriptScope {
    /// All of them.
    Everything,
    /// The turns with findings, or with a line that a finding of the whole test rests on.
    Excerpt,
    /// None.
    Findings,
}

/// The place of a test's first finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Headline {
    /// In the transcript, as any other.
    Inside,
    /// Above the transcript: the console writes it.
    Above,
}

/// The style of a transcript.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TranscriptStyle {
    pub(crate) scope: TranscriptScope,
    pub(crate) headline: Headline,
    pub(crate) palette: Palette,
    /// The column at which it begins.
    pub(crate) indent: usize,
    /// The most bytes of one message, argument, result or finding.
    pub(crate) item: usize,
    /// The most bytes of the whole.
    pub(crate) whole: usize,
    /// The number of columns that a line may have; `None`: lines are not wrapped.
    pub(crate) width: Option<usize>,
    /// Whether the rules that passed are listed.
    pub(crate) lists_passed: bool,
    /// The number of the only turn that is written, if not all are.
    pub(crate) only_turn: Option<u32>,
    /// Whether what is wrong is written elsewhere, next to the transcript.
    pub(crate) findings_are_elsewhere: bool,
}

impl TranscriptStyle {
    /// As files hold it: at the margin, without colour, never wrapped.
    pub(crate) fn for_files(scope: TranscriptScope) -> Self {
        Self {
            scope,
            headline: Headline::Inside,
            palette: Palette::default(),
            indent: 0,
            item: 2 << 10,
            whole: 64 << 10,
            width: None,
            lists_passed: false,
            only_turn: None,
            findings_are_elsewhere: false,
        }
    }
}
