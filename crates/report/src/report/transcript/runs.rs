//! The runs of a test that runs several times, for people: how many passed, and why the others did not.

use anstyle::Style;

use super::{TranscriptScope, TranscriptStyle, transcript};
use crate::report::layout::{Page, mark};
use crate::report::words::stability::{
    all_passed, checkpoint, decision, numbers, rate, spent, times, tries,
};
use ananke_base::text::{escape, truncate};
use ananke_trace::outcome::{FailedRuns, Outcome, Status};

/// The most characters of a finding on one line.
const LONGEST: usize = 200;

/// Writes the results of the runs of `outcome`, those that failed, and the heading of the one whose transcript follows; empty
/// for a test that runs once, and in short for one whose runs all passed. With [`TranscriptScope::Everything`] each reason has the transcript of its first run.
pub(super) fn runs(page: &mut Page, outcome: &Outcome, style: TranscriptStyle) {
    let Some(stability) = outcome.stability.as_deref() else {
        return;
    };
    if style.scope != TranscriptScope::Everything && all_passed(outcome).is_some() {
        return;
    }
    let palette = style.palette;
    let status = palette.of(outcome.status());
    line(page, style, &rate(stability), status);
    if let Some(decision) = decision(stability) {
        line(page, style, &decision, Style::new());
    }
    if stability.failed > 0 || style.scope == TranscriptScope::Everything {
        line(page, style, &times(stability), palette.faint);
        for words in spent(stability) {
            line(page, style, &words, palette.faint);
        }
    }
    if let Some(tries) = tries(stability) {
        line(page, style, &tries, palette.faint);
    }
    for reached in &stability.checkpoints {
        let is_missed = reached.is_required && reached.reached < stability.runs();
        let look = if is_missed {
            palette.of(Status::Failed)
        } else {
            palette.faint
        };
        let words = checkpoint(reached, stability.runs());
        line(page, style, &escape::line(&words), look);
    }
    for failed in &stability.failures {
        reason(page, failed, style);
        if let (Some(example), TranscriptScope::Everything) = (outcome.example(failed), style.scope)
        {
            let indent = style.indent + 2;
            page.lines(&transcript(example, TranscriptStyle { indent, ..style }));
        }
    }
    match stability.further_failed {
        0 => {}
        further => {
            let plural = if further == 1 { "run" } else { "runs" };
            let words = format!("… and {further} more {plural} failed for other reasons");
            line(page, style, &words, palette.faint);
        }
    }
    let has_transcript = outcome.status().fails_the_run()
        || style.scope == TranscriptScope::Everything && outcome.status() != Status::Skipped;
    if has_transcript && stability.runs() > 1 {
        let words = format!("run {}", outcome.run);
        line(page, style, &words, palette.strong);
    }
}

fn line(page: &mut Page, style: TranscriptStyle, text: &str, look: Style) {
    page.space(style.indent);
    page.hang_at(style.indent + 2);
    page.line(look, text);
}

/// The runs that failed for one reason, and the finding of the first.
fn reason(page: &mut Page, failed: &FailedRuns, style: TranscriptStyle) {
    page.space(style.indent);
    page.hang_at(style.indent + 2);
    page.put(style.palette.strong, &numbers(failed));
    page.space(2);
    page.put(style.palette.of(failed.status), failed.status.as_str());
    page.space(2);
    page.put(style.palette.of(failed.status), mark(failed.status));
    page.space(1);
    let message = failed
        .message
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    page.line(
        Style::new(),
        &escape::line(&truncate::chars(&message, style.item.min(LONGEST))),
    );
}
