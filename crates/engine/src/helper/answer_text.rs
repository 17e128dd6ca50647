//! What every answer of a helper is read with: how it is quoted, and what its fence holds.

use ananke_trace::redact::truncated;

/// How many characters of something unexpected are shown.
const SHOWN: usize = 200;

/// A part of an answer, on one line.
pub(super) fn shown(text: &str) -> String {
    truncated(
        &text.split_whitespace().collect::<Vec<_>>().join(" "),
        SHOWN,
    )
}

/// What is in the one fenced block that `text` consists of.
pub(super) fn fenced(text: &str) -> Option<&str> {
    const FENCE: &str = "```";
    let (_, inside) = text.strip_prefix(FENCE)?.split_once('\n')?;
    inside
        .strip_suffix(FENCE)
        .filter(|inside| !inside.contains(FENCE))
}
