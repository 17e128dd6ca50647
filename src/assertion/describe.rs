//! Calls, texts and times in the words of a failure.

use std::ops::Range;

use crate::assertion::judge::Seen;
use crate::redact::{BESIDE, excerpt, truncated};
use crate::trace::{ToolCall, Trace};

/// The longest piece of agent text in a failure, in characters.
const SHOWN: usize = 200;

/// The lines of what was seen.
pub(super) fn seen(seen: Seen, trace: &Trace) -> Vec<String> {
    match seen {
        Seen::Words(words) => vec![words],
        Seen::Call { index, misfit } => {
            let shown = trace.calls.get(index).map(call).unwrap_or_default();
            vec![misfit.map_or(shown.clone(), |misfit| format!("{shown}: {misfit}"))]
        }
        Seen::Miss { index, misfits, is_closer } => {
            let shown = trace.calls.get(index).map(call).unwrap_or_default();
            let closest = if is_closer { "closest: " } else { "" };
            if let [misfit] = misfits.as_slice() {
                return vec![format!("{closest}{shown}: {misfit}")];
            }
            let misfits = misfits.iter().map(|misfit| format!("  {misfit}"));
            [format!("{closest}{shown}")].into_iter().chain(misfits).collect()
        }
    }
}

/// `name(args) → result`.
fn call(call: &ToolCall) -> String {
    let result = match call.result() {
        Some(result) if result.text.is_empty() => "(empty result)".to_owned(),
        Some(result) => short(&result.text),
        None => "(no result)".to_owned(),
    };
    format!("{}({}) → {result}", short(&call.name), short(call.args_text.trim()))
}

/// What the agent said, in words.
pub(super) fn said(text: &str) -> String {
    if text.is_empty() { "the agent said nothing".to_owned() } else { format!("said: {text}") }
}

/// `text`, truncated to what fits a line of a failure; a secret across the end is masked whole.
pub(super) fn short(text: &str) -> String {
    truncated(text, SHOWN)
}

/// Whether [`short`] truncates `text`.
pub(super) fn is_long(text: &str) -> bool {
    text.char_indices().nth(SHOWN).is_some()
}

/// `text` as a literal on one line: line ends and tabs are written out, and it is cut like any other.
pub(super) fn literally(text: &str) -> String {
    let written = |text: &str| text.replace('\n', "\\n").replace('\r', "\\r").replace('\t', "\\t");
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => {
            let shown = written(&text[..end]);
            let rest = &text[end..text.floor_char_boundary(end + BESIDE)];
            excerpt(&(shown.clone() + &written(rest)), 0..shown.len()) + "…"
        }
        None => written(text),
    }
}

/// What stands at `range` with a little of what stands around it.
pub(super) fn around(text: &str, range: Range<usize>) -> String {
    const AROUND: usize = 40;
    let Range { start, end } = range;
    let from = text[..start].char_indices().rev().nth(AROUND - 1).map_or(0, |(index, _)| index);
    let to = text[end..].char_indices().nth(AROUND).map_or(text.len(), |(index, _)| end + index);
    let before = if from > 0 { "…" } else { "" };
    let room = SHOWN - before.chars().count();
    let to = text[from..to].char_indices().nth(room).map_or(to, |(index, _)| from + index);
    let after = if to < text.len() { "…" } else { "" };
    format!("{before}{}{after}", excerpt(text, from..to))
}

/// Microseconds as milliseconds: `1500 ms`, `1500.25 ms`.
pub(super) fn milliseconds(micros: u64) -> String {
    let fraction = format!("{:03}", micros % 1000);
    let fraction = fraction.trim_end_matches('0');
    let dot = if fraction.is_empty() { "" } else { "." };
    format!("{}{dot}{fraction} ms", micros / 1000)
}

/// `once`, `2 times`.
pub(super) fn times(count: u64) -> String {
    match count {
        1 => "once".to_owned(),
        count => format!("{count} times"),
    }
}

/// Names in order, the newest last, bounded.
pub(super) fn listed(names: &[&str]) -> String {
    const SHOWN: usize = 20;
    let shown: Vec<String> = names.iter().rev().take(SHOWN).rev().map(|name| short(name)).collect();
    let more = if names.len() > SHOWN { format!("{} more, ", names.len() - SHOWN) } else { String::new() };
    format!("{more}{}", shown.join(", "))
}
