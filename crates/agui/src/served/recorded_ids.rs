//! Recorded events for another run: its ids instead of the recorded ones.

use std::borrow::Cow;

use bytes::Bytes;
use regex::{Captures, Regex};
use serde_json::json;

/// A recorded event in which every key of `recorded` that has this id has that of `now` instead. All other bytes stay.
pub(super) fn with_ids(
    piece: &Bytes,
    recorded: &[(&str, String)],
    now: &[(&str, String)],
) -> Bytes {
    let Ok(text) = std::str::from_utf8(piece) else {
        return piece.clone();
    };
    let mut changed = Cow::Borrowed(text);
    for ((key, from), (_, to)) in recorded.iter().zip(now) {
        // Some servers write `thread_id`.
        let key = key.replace("Id", "(?:Id|_id)");
        let pattern = format!(
            "(\"{key}\"\\s*:\\s*){}",
            regex::escape(&json!(from).to_string())
        );
        let Ok(pattern) = Regex::new(&pattern) else {
            continue;
        };
        let to = json!(to).to_string();
        let put = |found: &Captures<'_>| [&found[1], to.as_str()].concat();
        if let Cow::Owned(replaced) = pattern.replace_all(&changed, put) {
            changed = Cow::Owned(replaced);
        }
    }
    match changed {
        Cow::Borrowed(_) => piece.clone(),
        Cow::Owned(text) => Bytes::from(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ids_of_a_run_are_those_of_the_request_and_nothing_else_changes() {
        let ids =
            |thread: &str, run: &str| [("threadId", thread.to_owned()), ("runId", run.to_owned())];
        let piece = "data: {\"type\": \"RUN_STARTED\", \"threadId\": \"t\", \"run_id\":\"r\", \"name\": \"t\"}\n\n";
        let found = with_ids(&Bytes::from(piece), &ids("t", "r"), &ids("a\"b", "$1"));
        let expected = "data: {\"type\": \"RUN_STARTED\", \"threadId\": \"a\\\"b\", \"run_id\":\"$1\", \"name\": \"t\"}\n\n";
        assert_eq!(found, expected);
        let other = with_ids(&Bytes::from(piece), &ids("x", "y"), &ids("a", "b"));
        assert_eq!(other, piece);
        let no_text = Bytes::from_static(b"\xff\"threadId\":\"t\"");
        assert_eq!(with_ids(&no_text, &ids("t", "r"), &ids("a", "b")), no_text);
    }
}
