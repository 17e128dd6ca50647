//! Long texts cut to a size, with a sign where something is missing.

use std::borrow::Cow;

use super::head_tail::HeadTail;

/// The first `max` characters of `text`; a longer text ends with `…`.
pub fn chars(text: &str, max: usize) -> Cow<'_, str> {
    match text.char_indices().nth(max) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// The first `max` bytes of `text`, fewer where that would cut a character; a longer text ends with how many are
/// missing.
pub fn bytes(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max {
        return Cow::Borrowed(text);
    }
    let kept = &text[..text.floor_char_boundary(max)];
    let plural = if text.len() - kept.len() == 1 { "" } else { "s" };
    Cow::Owned(format!("{kept}… ({} more byte{plural})", text.len() - kept.len()))
}

/// The lines of `text` in at most `max` bytes: the first quarter from its start, then how many lines are left out, then
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
        for (text, max, expected) in [("short", 5, "short"), ("ééé", 2, "éé…"), ("abc", 0, "…"), ("", 0, "")]
        {
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
    fn long_texts_keep_both_ends() {
        let text = (1..=100).fold(String::new(), |text, number| format!("{text}line {number}\n"));
        assert_eq!(
            lines(&text, 100),
            "line 1\nline 2\nline 3\n… (88 lines left out)\nline 92\nline 93\nline 94\nline 95\nline 96\nline 97\nline 98\nline 99\nline 100\n"
        );
        assert_eq!(lines("é\n", 1), "… (1 line left out)\n");
    }
}
