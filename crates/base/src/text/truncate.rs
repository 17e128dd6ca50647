//! Long texts cut to a size, with a sign where something is missing.

use std::borrow::Cow;

use super::HeadTail;

/// The first `max` characters of `text`; a longer text ends with `…`.
pub fn chars(text: &str, max: usize) -> Cow<'_, str> {
    match text.char_indices().nth(max) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// The longest texts of an agent are truncated to twice as much before they are reported: what ends like a truncated text
/// and is shorter was never truncated.
const NEVER_TRUNCATED: usize = 8 << 10;

/// The first `max` bytes of `text`, fewer where that would cut a character; a longer text ends with how many are
/// missing. A text that was truncated before counts with all that is missing of it.
pub fn bytes(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max {
        return Cow::Borrowed(text);
    }
    let kept = &text[..text.floor_char_boundary(max)];
    let (whole, missing_before) = untruncated(text);
    Cow::Owned(format!(
        "{kept}{}",
        missing(whole.len().saturating_sub(kept.len()) + missing_before)
    ))
}

/// The end of a text of which so many bytes are missing.
pub fn missing(count: usize) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("… ({count} more byte{plural})")
}

/// A text without the end of a truncated one, and how many bytes are missing of it.
fn untruncated(text: &str) -> (&str, usize) {
    let truncated = || {
        let (whole, end) = text.rsplit_once("… (")?;
        let count = end
            .strip_suffix(" more bytes)")
            .or_else(|| end.strip_suffix(" more byte)"))?;
        (whole.len() >= NEVER_TRUNCATED).then_some((whole, count.parse().ok()?))
    };
    truncated().unwrap_or((text, 0))
}

/// The lines of `text` in at most `max` bytes: the first quarter from its start, then how many lines are omitted, then
/// its end, which is where a test that stops at its first failure has what matters.
pub fn lines(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max {
        return Cow::Borrowed(text);
    }
    Cow::Owned(HeadTail::new(text.to_owned()).shortened(max).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_between_characters() {
        for (text, max, expected) in [
            ("short", 5, "short"),
            ("ééé", 2, "éé…"),
            ("abc", 0, "…"),
            ("", 0, ""),
        ] {
            assert_eq!(chars(text, max), expected);
        }
        for (text, max, expected) in [
            ("short", 5, "short"),
            ("ééé", 3, "é… (4 more bytes)"),
            ("abc", 2, "ab… (1 more byte)"),
            ("é", 0, "… (2 more bytes)"),
        ] {
            assert_eq!(bytes(text, max), expected);
        }
    }

    #[test]
    fn a_text_that_is_truncated_twice_says_how_much_is_missing_of_the_whole() {
        let whole = "é".repeat(50_000);
        let once = bytes(&whole, 16 << 10);
        assert!(once.ends_with("… (83616 more bytes)"));
        assert_eq!(bytes(&once, 10), "ééééé… (99990 more bytes)");
        let claims = "short… (7 more bytes)";
        assert_eq!(
            bytes(claims, 5),
            "short… (18 more bytes)",
            "an agent's own words"
        );
    }

    #[test]
    fn long_texts_keep_both_ends() {
        let text = (1..=100).fold(String::new(), |text, number| {
            format!("{text}line {number}\n")
        });
        assert_eq!(
            lines(&text, 100),
            "line 1\nline 2\nline 3\n… (88 lines omitted)\nline 92\nline 93\nline 94\nline 95\nline 96\nline 97\nline 98\nline 99\nline 100\n"
        );
        assert_eq!(lines("é\n", 1), "… (1 line omitted)\n");
    }
}
