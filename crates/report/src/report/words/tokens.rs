//! Tokens, for people.

use ananke_trace::trace::{Tokens, Usage};

/// `1204 in, 96 out`, with what the agent reported; `None` if it reported nothing.
pub(crate) fn tokens(usage: Usage) -> Option<String> {
    let Usage {
        input,
        output,
        total,
    } = usage;
    let words = [(input, "in"), (output, "out"), (total, "in all")];
    let words = words
        .into_iter()
        .filter_map(|(tokens, word)| Some(format!("{} {word}", Tokens::whole(tokens)?)));
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| words.join(", "))
}
