//! The selection of the lines of a long turn that an excerpt keeps.

use super::{TranscriptScope, event_marks::EventMarks};
use ananke_trace::outcome::TranscriptLine;

/// A turn with at most so many lines is kept whole.
const SHORT: usize = 8;

/// The number of lines that are kept at the beginning of a turn.
const FIRST: usize = 1;

/// The number of lines that are kept at its end.
const LAST: usize = 2;

/// Whether each of `lines` is kept: in an excerpt of a long turn those that a finding names, with what was just before
/// and after them, and both ends.
pub(crate) fn kept(
    lines: &[TranscriptLine],
    marks: &EventMarks,
    scope: TranscriptScope,
) -> Vec<bool> {
    let count = lines.len();
    if scope != TranscriptScope::Excerpt || count <= SHORT {
        return vec![true; count];
    }
    let mut kept: Vec<bool> = (0..count)
        .map(|index| index < FIRST || index + LAST >= count)
        .collect();
    for index in (0..count).filter(|index| marks.contains(lines[*index].event())) {
        kept[index.saturating_sub(1)..(index + 2).min(count)].fill(true);
    }
    // One line takes no more room than a line that says it is omitted.
    for index in 1..count - 1 {
        kept[index] |= kept[index - 1] && kept[index + 1];
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use ananke_trace::outcome::SaidLine;
    use ananke_trace::trace::EventNumber;

    fn drawn(count: u32, cited: &[u32], scope: TranscriptScope) -> String {
        let event = |number: u32| EventNumber::from((1, number));
        let says = |number| {
            TranscriptLine::Says(SaidLine {
                event: event(number),
                ..SaidLine::default()
            })
        };
        let lines: Vec<TranscriptLine> = (0..count).map(says).collect();
        let marks = EventMarks::of_events(cited.iter().copied().map(event));
        let kept = kept(&lines, &marks, scope);
        kept.iter()
            .map(|kept| if *kept { '#' } else { '.' })
            .collect()
    }

    #[test]
    fn keeps_both_ends_and_what_a_finding_names() {
        for (count, cited, expected) in [
            (0, &[][..], ""),
            (8, &[], "########"),
            (9, &[], "#......##"),
            (10, &[4], "#..###..##"),
            (10, &[2], "####....##"),
            (10, &[3, 6], "##########"),
            (10, &[0, 9], "##......##"),
        ] {
            assert_eq!(
                drawn(count, cited, TranscriptScope::Excerpt),
                expected,
                "{count} {cited:?}"
            );
            assert!(!drawn(count, cited, TranscriptScope::Everything).contains('.'));
        }
    }
}
