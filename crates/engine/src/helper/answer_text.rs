//! The rules for reading every answer of a helper: the way it is quoted, and the content of its fence.

use ananke_trace::redact::truncated;

/// The number of characters of an unexpected text that are shown.
const SHOWN: usize = 200;

/// A part of an answer, on one line.
pub(super) fn shown(text: &str) -> String {
    truncated(
        &text.split_whitespace().collect::<Vec<_>>().join(" "),
        SHOWN,
    )
}

/// The content of the one fenced block that `text` consists of.
pub(super) fn fenced(text: &str) -> Option<&str> {
    const FENCE: &str = "```";
    let (_, inside) = text.strip_prefix(FENCE)?.split_once('\n')?;
    inside
        .strip_suffix(FENCE)
        .filter(|inside| !inside.contains(FENCE))
}
