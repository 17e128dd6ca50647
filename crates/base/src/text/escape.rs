//! Hostile text made harmless: for a terminal, for JSON and for XML.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::{ci_commands, is_confusable};

/// `text` as several lines of a terminal: line feeds and tabs stay; everything else that could move the cursor, hide or
/// reorder text, or be a command to a CI server, becomes a visible escape such as `\u{202e}`.
pub fn terminal(text: &str) -> Cow<'_, str> {
    let one_feed = map_text(Cow::Borrowed(text), |text| {
        if text.contains("\r\n") {
            Cow::Owned(text.replace("\r\n", "\n"))
        } else {
            Cow::Borrowed(text)
        }
    });
    let harmful = |character: char| !matches!(character, '\n' | '\t') && is_confusable(character);
    map_text(
        map_text(one_feed, |text| escaped(text, harmful)),
        ci_commands::escape,
    )
}

/// `text` on one line of a terminal: as [`terminal`], with line feeds and tabs escaped as well.
pub fn line(text: &str) -> Cow<'_, str> {
    map_text(escaped(text, is_confusable), ci_commands::escape)
}

/// `text` as one word of a shell, which may still need to be escaped for a terminal.
pub fn shell_word(text: &str) -> Cow<'_, str> {
    let is_plain =
        |character: char| character.is_ascii_alphanumeric() || "-_./:@%+=,".contains(character);
    if !text.is_empty() && text.chars().all(is_plain) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(format!("'{}'", text.replace('\'', "'\\''")))
    }
}

/// `json`, as a serializer wrote it, with the same meaning and harmless to a terminal, a reader or a CI server: every
/// confusable character becomes an escape of JSON.
pub fn json(json: &str) -> Cow<'_, str> {
    // No line of JSON begins with a colon, and the other characters that begin commands are in strings alone.
    let escaped = ci_commands::escape_with(
        json,
        |first| if first == b'#' { "\\u0023" } else { "\\u005b" },
    );
    let harmful = |character: char| character != '\n' && is_confusable(character);
    let escape = |character: char, harmless: &mut String| {
        for unit in character.encode_utf16(&mut [0; 2]) {
            // Writing to a String cannot fail.
            let _ = write!(harmless, "\\u{unit:04x}");
        }
    };
    map_text(escaped, |json| replace_chars(json, harmful, escape))
}

/// `text`, in which the markup of XML is escaped already, with the same meaning and harmless to a terminal or a CI
/// server: every confusable character, line ends and tabs too, becomes a character reference.
pub fn xml_references(text: &str) -> Cow<'_, str> {
    let escaped = ci_commands::escape_with(text, |first| match first {
        b':' => "&#58;",
        b'#' => "&#35;",
        _ => "&#91;",
    });
    map_text(escaped, |text| {
        replace_chars(text, is_confusable, |character, harmless| {
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
        Cow::Owned(
            text.chars()
                .filter(|character| allowed_in_xml(*character))
                .collect(),
        )
    }
}

/// `text` with a visible escape for every character that is `harmful`.
fn escaped(text: &str, harmful: impl Fn(char) -> bool) -> Cow<'_, str> {
    replace_chars(text, harmful, |character, visible| match character {
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

/// Whether these bytes are printable ASCII, of which nothing is ever replaced. Most texts are: so many bytes are looked at
/// together that the compiler takes one instruction for all of them.
fn is_printable(bytes: &[u8]) -> bool {
    for chunk in bytes.chunks(64) {
        let mut is_printable = true;
        for byte in chunk {
            is_printable &= matches!(byte, b' '..=b'~');
        }
        if !is_printable {
            return false;
        }
    }
    true
}

/// `text` with what `write` appends for every character that `is_replaced` accepts, of those that [`is_confusable`].
fn replace_chars(
    text: &str,
    is_replaced: impl Fn(char) -> bool,
    write: impl Fn(char, &mut String),
) -> Cow<'_, str> {
    if is_printable(text.as_bytes()) || !text.chars().any(&is_replaced) {
        return Cow::Borrowed(text);
    }
    let mut replaced = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_replaced(character) {
            write(character, &mut replaced);
        } else {
            replaced.push(character);
        }
    }
    Cow::Owned(replaced)
}

/// `change` applied to `text`; copies only what changes.
fn map_text<'a>(
    text: Cow<'a, str>,
    change: impl for<'b> Fn(&'b str) -> Cow<'b, str>,
) -> Cow<'a, str> {
    match text {
        Cow::Borrowed(text) => change(text),
        Cow::Owned(text) => Cow::Owned(change(&text).into_owned()),
    }
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
            (
                "a\u{202e}b\u{2066}c\u{200b}d\u{e0041}",
                "a\\u{202e}b\\u{2066}c\\u{200b}d\\u{e0041}",
            ),
        ] {
            assert_eq!(terminal(text), expected);
        }
        assert_eq!(line("a\r\nb\tc\u{7}"), "a\\r\\nb\\tc\\u{7}");
    }

    #[test]
    fn xml_gets_only_what_it_allows() {
        assert_eq!(
            xml("a\u{0}\u{8}\u{b}\u{c}\u{1f}\u{fffe}\u{ffff}b\t\r\n😀\u{85}"),
            "ab\t\r\n😀\u{85}"
        );
    }

    #[test]
    fn json_means_the_same_and_steers_nothing() {
        for text in [
            "plain é 👩‍🚀",
            "a\u{7f}b\u{9b}c\u{202e}d\u{e0041}e",
            "##vso[a] ###[b] #c",
            "\\ \" \u{1b}",
        ] {
            let written = serde_json::to_string(text).unwrap();
            let harmless = json(&written);
            assert_eq!(serde_json::from_str::<String>(&harmless).unwrap(), text);
            assert!(
                !harmless.chars().any(is_confusable) && !harmless.contains("##"),
                "{harmless}"
            );
        }
    }
}
