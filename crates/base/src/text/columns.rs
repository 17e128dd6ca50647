//! The width of text on a terminal, in columns: wide characters take two, combining ones none.
//!
//! **Invariant:** a cut text is never wider than its limit, and a character is never separated from what combines with it.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Joins the characters before and after it into one.
const JOINER: char = '\u{200d}';

/// The sign for truncated text.
const CUT: char = '…';

/// The number of columns of `text`, which is one line without tabs.
pub fn width(text: &str) -> usize {
    // Most of what is printed needs no table of wide characters.
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    if is_plain { text.len() } else { text.width() }
}

/// The end of `text` in at most `columns`, with `…` for a missing beginning: the end of a test id is the most specific
/// part.
pub fn end_of(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let signs: Vec<&str> = signs(text).collect();
    let mut room = columns.saturating_sub(1);
    let mut first = signs.len();
    while let Some(sign) = first.checked_sub(1).and_then(|index| signs.get(index)) {
        let Some(left) = room.checked_sub(width(sign)) else {
            break;
        };
        (room, first) = (left, first - 1);
    }
    let cut = (columns > 0).then_some(CUT);
    cut.into_iter()
        .map(String::from)
        .chain(signs[first..].iter().map(ToString::to_string))
        .collect()
}

/// The beginning of `text` in at most `columns`, with `…` for a missing end.
pub fn beginning_of(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let (kept, _) = parted(text, columns.saturating_sub(1));
    let cut = (columns > 0).then_some(CUT);
    kept.chars().chain(cut).collect()
}

/// As much of `text` as `columns` hold, and the rest.
pub fn parted(text: &str, columns: usize) -> (&str, &str) {
    let mut room = columns;
    let mut end = 0;
    for sign in signs(text) {
        match room.checked_sub(width(sign)) {
            Some(left) => (room, end) = (left, end + sign.len()),
            None => break,
        }
    }
    text.split_at(end)
}

/// `text` in lines of at most `columns` each, broken between words; a word that is wider than a line is broken inside.
/// Spaces at the beginning of a line stay.
pub fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(2);
    let mut lines = Vec::new();
    for paragraph in text.split('\n') {
        let margin = paragraph.len() - paragraph.trim_start_matches(' ').len();
        let mut line = " ".repeat(margin.min(columns / 2));
        let mut is_empty = true;
        for mut word in paragraph[margin..].split(' ') {
            let blank = usize::from(!is_empty);
            if !is_empty && width(&line) + blank + width(word) > columns {
                lines.push(std::mem::take(&mut line));
            } else if !is_empty {
                line.push(' ');
            }
            while width(&line) + width(word) > columns {
                let (here, rest) = piece(word, columns - width(&line));
                lines.push(std::mem::take(&mut line) + here);
                word = rest;
            }
            line.push_str(word);
            is_empty = false;
        }
        lines.push(line);
    }
    lines
}

/// As much of a word that is too long as `columns` hold, and the rest: broken behind one of the signs that join its
/// parts, where one is not far.
pub fn piece(word: &str, columns: usize) -> (&str, &str) {
    let (here, _) = parted(word, columns);
    let within = |joints: &[char], share: usize| {
        here.rfind(joints)
            .filter(|at| width(&here[..=*at]) * share >= columns)
    };
    // A path or JSON is broken between its parts rather than inside a name.
    match within(&[',', ';', '/', '&', '?'], 2)
        .or_else(|| within(&['-', '_', '.', ':', '=', '(', '{', '[', '}', ']', ')'], 4))
    {
        Some(at) => word.split_at(at + 1),
        _ if here.is_empty() => word.split_at(signs(word).next().map_or(0, str::len)),
        _ => word.split_at(here.len()),
    }
}

/// The characters of `text`, each with those that join it.
fn signs(mut text: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let mut characters = text.char_indices();
        let (_, mut before) = characters.next()?;
        let joins = |before: char, character: char| {
            before == JOINER
                || character == JOINER
                || character.width().unwrap_or(1) == 0
                || is_skin(character)
        };
        let end = characters.find_map(|(index, character)| {
            let is_next = !joins(before, character);
            before = character;
            is_next.then_some(index)
        });
        let (sign, rest) = text.split_at(end.unwrap_or(text.len()));
        text = rest;
        Some(sign)
    })
}

/// Whether a character colours the hand or face before it.
fn is_skin(character: char) -> bool {
    matches!(character, '\u{1f3fb}'..='\u{1f3ff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_by_columns_and_between_signs() {
        for (text, columns, end, beginning) in [
            ("short", 5, "short", "short"),
            ("longer", 5, "…nger", "long…"),
            ("旅行者", 6, "旅行者", "旅行者"),
            ("旅行者", 5, "…行者", "旅行…"),
            ("旅行者", 4, "…者", "旅…"),
            ("a👩‍🚀b", 3, "…b", "a…"),
            ("xe\u{301}\u{302}y", 2, "…y", "x…"),
            ("xye\u{301}\u{302}", 2, "…e\u{301}\u{302}", "x…"),
            ("abc", 1, "…", "…"),
            ("abc", 0, "", ""),
        ] {
            assert_eq!(end_of(text, columns), end, "{text} {columns}");
            assert_eq!(beginning_of(text, columns), beginning, "{text} {columns}");
        }
    }

    #[test]
    fn wraps_between_words_and_behind_the_parts_of_long_ones() {
        for (text, columns, expected) in [
            ("", 10, "|"),
            ("fits", 10, "fits|"),
            ("three short words", 10, "three|short|words|"),
            (
                "two words, and\n  a second line",
                11,
                "two words,|and|  a second|line|",
            ),
            ("旅行者が 東京", 8, "旅行者が|東京|"),
            ("旅行者が東京", 7, "旅行者|が東京|"),
            (
                "{\"a\":12345,\"b\":67890}",
                14,
                "{\"a\":12345,|\"b\":67890}|",
            ),
            ("abcdefgh,ijklmnop", 16, "abcdefgh,|ijklmnop|"),
            ("a,bcdefghijklmnop", 8, "a,bcdefg|hijklmno|p|"),
            ("旅", 1, "旅|"),
        ] {
            assert_eq!(
                wrapped(text, columns).join("|") + "|",
                expected,
                "{text} {columns}"
            );
        }
    }
}
