//! Excerpts of a longer text that carry, hidden, what surrounded them, so that a secret across their edge is masked whole.
//!
//! Flows in: a text and the range of it that is shown. Flows out: a text with hidden parts, which masking looks at and
//! takes away. A hidden part is between two code points that Unicode keeps for use inside a program, and carries a
//! check that cannot be made outside the program: no text of an agent hides anything.

use std::borrow::Cow;
use std::hash::{BuildHasher as _, RandomState};
use std::ops::Range;
use std::sync::LazyLock;

/// The character with which a hidden part begins.
const BEGIN: char = '\u{fdd0}';

/// The character with which a hidden part ends.
const END: char = '\u{fdd1}';

/// The number of bytes that are carried beyond an edge: as many as the longest secrets take.
pub const BESIDE: usize = 8 << 10;

/// The number of bytes of a check.
const CHECK: usize = 16;

/// The key of the checks: another one in each process. It is never seen in what comes out.
static KEY: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// The part `shown` of `text`. What surrounds it is there for [`Redactor::text`](super::Redactor::text) alone, which
/// takes it away: until then the text is nothing to be shown, or to be cut again.
pub fn excerpt(text: &str, shown: Range<usize>) -> String {
    let before = text.floor_char_boundary(shown.start.saturating_sub(BESIDE))..shown.start;
    let after = shown.end..text.floor_char_boundary(shown.end.saturating_add(BESIDE));
    let hidden = |range: Range<usize>| {
        if range.is_empty() {
            return String::new();
        }
        let text = text[range].replace([BEGIN, END], "\u{fffd}");
        format!("{BEGIN}{text}{}{END}", check(&text))
    };
    format!(
        "{}{}{}",
        hidden(before),
        &text[shown.clone()],
        hidden(after)
    )
}

/// The first `max` characters of `text`, as an [`excerpt`]; a longer text ends with `…`.
pub fn truncated(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((end, _)) => excerpt(text, 0..end) + "…",
        None => text.to_owned(),
    }
}

/// Whether something in `text` may be hidden.
pub(super) fn has_hidden(text: &str) -> bool {
    text.contains(BEGIN)
}

/// The check at the end of a hidden part.
fn check(hidden: &str) -> String {
    format!("{:016x}", KEY.hash_one(hidden))
}

/// The hidden part that `text` begins with, and what follows it.
fn hidden(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix(BEGIN)?;
    let (hidden, rest) = text.split_at(text.find([BEGIN, END])?);
    let rest = rest.strip_prefix(END)?;
    let (hidden, written) = hidden.split_at_checked(hidden.len().checked_sub(CHECK)?)?;
    (written == check(hidden)).then_some((hidden, rest))
}

/// A text with its hidden parts in the open, and where they are.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Opened<'t> {
    /// All of it.
    pub(super) text: Cow<'t, str>,
    /// The ranges that are not to be shown, ascending.
    pub(super) hidden: Vec<Range<usize>>,
}

impl<'t> Opened<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let mut opened = Self {
            text: Cow::Borrowed(text),
            hidden: Vec::new(),
        };
        if !has_hidden(text) {
            return opened;
        }
        let mut whole = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(begin) = rest.find(BEGIN) {
            whole.push_str(&rest[..begin]);
            rest = &rest[begin..];
            if let Some((hidden, after)) = hidden(rest) {
                opened.hidden.push(whole.len()..whole.len() + hidden.len());
                whole.push_str(hidden);
                rest = after;
            } else {
                whole.push(BEGIN);
                rest = &rest[BEGIN.len_utf8()..];
            }
        }
        if !opened.hidden.is_empty() {
            whole.push_str(rest);
            opened.text = Cow::Owned(whole);
        }
        opened
    }

    /// The parts of `range` that are shown.
    pub(super) fn shown(&self, range: Range<usize>) -> impl Iterator<Item = &str> {
        let first = self
            .hidden
            .partition_point(|hidden| hidden.end <= range.start);
        let hidden = self.hidden[first..]
            .iter()
            .take_while(move |hidden| hidden.start < range.end);
        let starts = std::iter::once(range.start).chain(hidden.clone().map(|hidden| hidden.end));
        let ends = hidden.map(|hidden| hidden.start).chain([range.end]);
        starts
            .zip(ends)
            .filter(|(start, end)| start < end)
            .map(|(start, end)| &self.text[start..end])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::Redactor;

    #[test]
    fn a_secret_across_an_edge_is_masked_whole() {
        let redactor = Redactor::default();
        redactor.add(["hunter22-is-é-secret"]);
        let text = "said: hunter22-is-é-secret, and more";
        for (shown, expected) in [
            (0..14, "«said: ***»"),
            (0..text.len(), "«said: ***, and more»"),
            (0..6, "«said: »"),
            (10..text.len(), "«***, and more»"),
            (10..14, "«***»"),
            (29..33, "«and »"),
            (3..3, "«»"),
        ] {
            let excerpt = format!("«{}»", excerpt(text, shown.clone()));
            assert_eq!(redactor.text(&excerpt), expected, "{shown:?}");
        }
        let two = format!(
            "{}…; {}…",
            excerpt("my hunter22-is-é-secret", 0..6),
            excerpt("hunter22 it", 0..8)
        );
        assert_eq!(redactor.text(&two), "my ***…; hunter22…");
    }

    #[test]
    fn an_ordinary_word_at_an_edge_is_not_a_secret() {
        let redactor = Redactor::default();
        redactor.add(["Bearer s3cr3t-token", "s3cr3t-token"]);
        assert_eq!(redactor.text("Yogi is a Bear"), "Yogi is a Bear");
        assert_eq!(
            redactor.text(&(excerpt("Yogi is a Bear of little brain", 0..14) + "…")),
            "Yogi is a Bear…"
        );
    }

    #[test]
    fn a_text_from_outside_hides_nothing() {
        for text in [
            "a \u{fdd0}b\u{fdd1} c",
            "\u{fdd0}",
            "\u{fdd0}0123456789abcdef0\u{fdd1}\u{fdd0}",
        ] {
            assert_eq!(Redactor::default().text(text), text);
            assert_eq!(
                Redactor::default().text(&excerpt(text, 0..text.len())),
                text
            );
            let more = text.to_owned() + "…";
            assert_eq!(
                Redactor::default().text(&excerpt(&more, 0..text.len())),
                text
            );
        }
    }

    #[test]
    fn what_follows_is_carried_no_further_than_secrets_are_long() {
        let text = "é".repeat(100_000);
        assert!(excerpt(&text, 1000..1010).len() < 2 * BESIDE + 100);
    }
}
