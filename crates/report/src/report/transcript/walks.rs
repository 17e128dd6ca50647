//! The walks of a test, for people: how many passed, the one that failed and what is left of it, and the actions taken.

use anstyle::Style;

use super::style::{TranscriptScope, TranscriptStyle};
use crate::report::layout::Page;
use crate::report::words::walks::{all_passed, details, summary};
use ananke_base::text::{escape, truncate};
use ananke_trace::outcome::Outcome;

/// The most characters of a line.
const LONGEST: usize = 2000;

/// Writes the results of the walks of `outcome`; nothing for a test without, and in short for one whose walks all
/// passed.
pub(super) fn walks(page: &mut Page, outcome: &Outcome, style: TranscriptStyle) {
    let Some(walks) = outcome.walks.as_deref() else {
        return;
    };
    if style.scope != TranscriptScope::Everything && all_passed(outcome).is_some() {
        return;
    }
    let mut line = |text: &str, look: Style| {
        page.space(style.indent);
        page.hang_at(style.indent + 2);
        page.line(look, &escape::line(&truncate::chars(text, LONGEST)));
    };
    line(&summary(walks), style.palette.of(outcome.status()));
    for text in details(walks) {
        line(&text, style.palette.faint);
    }
}
