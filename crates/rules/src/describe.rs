//! Texts, names and times in the words of a failure.

use std::ops::Range;

use serde_json::Value;

use ananke_base::text::truncate;
use ananke_trace::redact::{BESIDE, excerpt};
use ananke_trace::trace::Peer;

/// The longest piece of agent text in a failure, in characters.
const SHOWN: usize = 200;

/// The text of an agent, in words.
pub(crate) fn said(text: &str) -> String {
    said_by(Peer::Agent, text)
}

/// The text of `peer`, in words.
pub(crate) fn said_by(peer: Peer, text: &str) -> String {
    if text.is_empty() {
        return format!("{} nothing", peer.said());
    }
    match peer {
        Peer::Agent => format!("said: {text}"),
        Peer::Server => format!("answered: {text}"),
    }
}

/// `text`, truncated to what fits a line of a failure, with how much is missing; a secret across the end is masked whole.
pub(crate) fn short(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => excerpt(text, 0..end) + &truncate::missing(text.len() - end),
        None => text.to_owned(),
    }
}

/// A value as compact JSON, truncated to what fits a line.
pub(crate) fn json(value: &Value) -> String {
    short(&value.to_string())
}

/// `text` as a literal on one line: line ends and tabs are escaped, and it is truncated like any other.
pub(crate) fn literally(text: &str) -> String {
    let escaped = |text: &str| {
        text.replace('\n', "\\n")
            .replace('\r', "\\r")
            .replace('\t', "\\t")
    };
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => {
            let shown = escaped(&text[..end]);
            let rest = &text[end..text.floor_char_boundary(end + BESIDE)];
            excerpt(&(shown.clone() + &escaped(rest)), 0..shown.len()) + "…"
        }
        None => escaped(text),
    }
}

/// The text at `range` with a little of what is around it.
pub(crate) fn around(text: &str, range: Range<usize>) -> String {
    const AROUND: usize = 40;
    let Range { start, end } = range;
    let from = text[..start]
        .char_indices()
        .rev()
        .nth(AROUND - 1)
        .map_or(0, |(index, _)| index);
    let to = text[end..]
        .char_indices()
        .nth(AROUND)
        .map_or(text.len(), |(index, _)| end + index);
    let before = if from > 0 { "…" } else { "" };
    let room = SHOWN - before.chars().count();
    let to = text[from..to]
        .char_indices()
        .nth(room)
        .map_or(to, |(index, _)| from + index);
    let after = if to < text.len() { "…" } else { "" };
    format!("{before}{}{after}", excerpt(text, from..to))
}

/// `once`, `2 times`.
pub(crate) fn times(count: u64) -> String {
    match count {
        1 => "once".to_owned(),
        count => format!("{count} times"),
    }
}

/// Names in order, the newest last, bounded.
pub(crate) fn listed(names: &[&str]) -> String {
    const SHOWN: usize = 20;
    let shown: Vec<String> = names
        .iter()
        .rev()
        .take(SHOWN)
        .rev()
        .map(|name| short(name))
        .collect();
    let more = if names.len() > SHOWN {
        format!("{} more, ", names.len() - SHOWN)
    } else {
        String::new()
    };
    format!("{more}{}", shown.join(", "))
}
/// A key as it is written in a mapping between braces.
pub(crate) fn yaml_key(key: &str) -> String {
    let is_plain = |sign: char| sign.is_alphanumeric() || "_-.".contains(sign);
    if key.chars().all(is_plain) {
        key.to_owned()
    } else {
        Value::from(key).to_string()
    }
}
