//! The difference of two texts as readers get it.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{part, part::counted};
use ananke_base::diagnostic::{Difference, DifferenceLine, Hunk, Side};

part! {
    /// The places where two texts differ.
    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    pub(crate) struct DifferenceLines<'a> of (difference: &'a Difference) {
        /// The places, in their order.
        hunks: Vec<HunkView<'a>> = difference.hunks.iter().map(HunkView::of).collect();
        /// How many more lines differ; omitted if none does.
        not_listed?: usize = counted(difference.left_out);
    }
}

impl From<DifferenceLines<'_>> for Difference {
    fn from(read: DifferenceLines<'_>) -> Self {
        Self {
            hunks: read.hunks.into_iter().map(Into::into).collect(),
            left_out: read.not_listed.unwrap_or_default(),
        }
    }
}

part! {
    /// A place where two texts differ, with some lines around it.
    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "Hunk")]
    pub(crate) struct HunkView<'a> of (hunk: &'a Hunk) {
        /// The number of its first line in the expected text, from 1.
        old_line: usize = hunk.old_line;
        /// The number of its first line in the actual text, from 1.
        new_line: usize = hunk.new_line;
        /// Its lines, each after a `-` (expected), a `+` (there instead) or a space (in both).
        lines: Vec<Cow<'a, str>> = hunk.lines.iter().map(signed).collect();
    }
}

impl From<HunkView<'_>> for Hunk {
    fn from(read: HunkView<'_>) -> Self {
        Self {
            old_line: read.old_line,
            new_line: read.new_line,
            lines: read.lines.iter().map(|line| unsigned(line)).collect(),
        }
    }
}

fn signed(line: &DifferenceLine) -> Cow<'_, str> {
    format!("{}{}", line.side.sign(), line.text).into()
}

fn unsigned(line: &str) -> DifferenceLine {
    let sides = [Side::Old, Side::New];
    let side = sides.into_iter().find(|side| line.starts_with(side.sign()));
    DifferenceLine {
        side: side.unwrap_or(Side::Both),
        text: line.get(1..).unwrap_or_default().to_owned(),
    }
}
