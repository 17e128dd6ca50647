//! Making hostile text harmless: for a terminal, for XML, and in size.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde::de::IgnoredAny;

use super::excerpt::Excerpt;
pub use crate::diagnostic::harmless_json as json;
use crate::diagnostic::{deceives, orders, rewritten};

/// `text` as several lines of a terminal: line feeds and tabs stay, whatever else could move the cursor, hide or
/// reorder text, or give an order to a build server that reads along, becomes a visible escape such as `\u{202e}`.
pub fn terminal(text: &str) -> Cow<'_, str> {
    let one_feed = replaced(Cow::Borrowed(text), |text| {
        if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) }
    });
    let harmful = |character: char| !matches!(character, '\n' | '\t') && deceives(character);
    replaced(replaced(one_feed, |text| escaped(text, harmful)), orders::disarmed)
}

/// `text` on one line of a terminal: as [`terminal`], with line feeds and tabs escaped as well.
pub fn line(text: &str) -> Cow<'_, str> {
    replaced(escaped(text, deceives), orders::disarmed)
}

/// `text`, in which the markup of XML is escaped, with the same meaning and harmless to a terminal or a build server:
/// whatever could deceive either, line ends and tabs too, becomes a reference to a character.
pub fn xml_references(text: &str) -> Cow<'_, str> {
    let disarmed = orders::rewritten(text, |sign| match sign {
        b':' => "&#58;",
        b'#' => "&#35;",
        _ => "&#91;",
    });
    replaced(disarmed, |text| {
        rewritten(text, deceives, |character, harmless| {
            // Writing to a String cannot fail.
            let _ = write!(harmless, "&#{};", u32::from(character));
        })
    })
}

/// `text` without the characters that XML 1.0 forbids, escaped or not.
pub fn xml(text: &str) -> Cow<'_, str> {
    if text.chars().all(allowed_in_xml) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.chars().filter(|character| allowed_in_xml(*character)).collect())
    }
}

/// The first `max` bytes of `text`, less where that would cut a character, and how much is missing.
pub fn bounded(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max {
        return Cow::Borrowed(text);
    }
    let kept = &text[..text.floor_char_boundary(max)];
    let plural = if text.len() - kept.len() == 1 { "" } else { "s" };
    Cow::Owned(format!("{kept}… ({} more byte{plural})", text.len() - kept.len()))
}

/// `text` without the white space between its parts where it is JSON; anything else as it is.
pub fn compact_json(text: &str) -> Cow<'_, str> {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
    if !text.as_bytes().iter().any(blank) || serde_json::from_str::<IgnoredAny>(text).is_err() {
        return Cow::Borrowed(text);
    }
    let mut compact = String::with_capacity(text.len());
    let (mut inside, mut escaped) = (false, false);
    for character in text.chars() {
        if inside {
            inside = escaped || character != '"';
            escaped = !escaped && character == '\\';
        } else if character == '"' {
            inside = true;
        } else if character.is_ascii_whitespace() {
            continue;
        }
        compact.push(character);
    }
    Cow::Owned(compact)
}

/// The lines of `text` up to `max` bytes: its first quarter, how many lines are left out, and the end, where a test
/// that stops at its first failure has what matters.
pub fn bounded_lines(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max {
        return Cow::Borrowed(text);
    }
    Cow::Owned(Excerpt::new(text.to_owned()).shortened(max).to_string())
}

/// `change` applied to `text`; copies only what changes.
fn replaced<'a>(text: Cow<'a, str>, change: impl for<'b> Fn(&'b str) -> Cow<'b, str>) -> Cow<'a, str> {
    match text {
        Cow::Borrowed(text) => change(text),
        Cow::Owned(text) => Cow::Owned(change(&text).into_owned()),
    }
}

/// `text` with a visible escape in the place of every character that is `harmful`.
fn escaped(text: &str, harmful: impl Fn(char) -> bool) -> Cow<'_, str> {
    rewritten(text, harmful, |character, visible| match character {
        '\n' => visible.push_str("\\n"),
        '\r' => visible.push_str("\\r"),
        '\t' => visible.push_str("\\t"),
        // Writing to a String cannot fail.
        _ => {
            let _ = write!(visible, "\\u{{{:x}}}", u32::from(character));
        }
    })
}

fn allowed_in_xml(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_gets_no_control_characters() {
        for (text, expected) in [
            ("plain → ✓ é 👩‍🚀", "plain → ✓ é 👩‍🚀"),
            ("two\nlines\tand a tab", "two\nlines\tand a tab"),
            ("dos\r\nline, lone\rreturn", "dos\nline, lone\\rreturn"),
            ("\u{1b}[31mred\u{1b}[0m", "\\u{1b}[31mred\\u{1b}[0m"),
            ("\u{9b}2J\u{7f}\u{0}\u{8}", "\\u{9b}2J\\u{7f}\\u{0}\\u{8}"),
            ("a\u{202e}b\u{2066}c\u{200b}d\u{e0041}", "a\\u{202e}b\\u{2066}c\\u{200b}d\\u{e0041}"),
        ] {
            assert_eq!(terminal(text), expected);
        }
        assert_eq!(line("a\r\nb\tc\u{7}"), "a\\r\\nb\\tc\\u{7}");
    }

    #[test]
    fn xml_gets_only_what_it_allows() {
        assert_eq!(xml("a\u{0}\u{8}\u{b}\u{c}\u{1f}\u{fffe}\u{ffff}b\t\r\n😀\u{85}"), "ab\t\r\n😀\u{85}");
    }

    #[test]
    fn cuts_between_characters() {
        assert_eq!(bounded("short", 5), "short");
        assert_eq!(bounded("ééé", 3), "é… (4 more bytes)");
        assert_eq!(bounded("abc", 2), "ab… (1 more byte)");
        assert_eq!(bounded("é", 0), "… (2 more bytes)");
    }

    #[test]
    fn json_is_shortened_and_other_text_left_alone() {
        assert_eq!(
            compact_json("{\n  \"a b\": [1, 2.50],\t\"c\\\" d\": \" \" }"),
            r#"{"a b":[1,2.50],"c\" d":" "}"#
        );
        assert_eq!(compact_json("{not json at all}"), "{not json at all}");
        assert_eq!(compact_json(""), "");
    }

    #[test]
    fn long_stories_keep_both_ends() {
        let story = (1..=100).fold(String::new(), |story, number| format!("{story}line {number}\n"));
        let short = bounded_lines(&story, 100);
        assert_eq!(
            short,
            "line 1\nline 2\nline 3\n… (88 lines left out)\nline 92\nline 93\nline 94\nline 95\nline 96\nline 97\nline 98\nline 99\nline 100\n"
        );
        assert_eq!(bounded_lines("é\n", 1), "… (1 line left out)\n");
    }
}
