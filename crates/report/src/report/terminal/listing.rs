//! The length of the lists at the end of a run: a run in which everything fails must not grow with its tests.

use crate::report::layout::{Page, Palette};
use ananke_base::text::{grouped, truncate};

/// The number of entries of each kind that are kept.
pub(super) const MOST: usize = 100;

/// Writes the number of entries beyond those that are listed; nothing if there are none.
pub(super) fn further(count: usize, palette: &Palette, page: &mut Page) {
    if count > 0 {
        page.line(palette.faint, &format!("  … and {} more", grouped(count)));
    }
}

/// An id, an owner or a place, as long as a line needs it.
pub(super) fn bounded(text: &str) -> String {
    truncate::bytes(text, 400).into_owned()
}
