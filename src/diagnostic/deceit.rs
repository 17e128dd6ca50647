//! Characters that are shown as something other than what they are.
//!
//! What an agent says may hold them, and whoever shows it makes them visible first.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::orders;

/// Whether a terminal, or the eye, takes `character` for something other than a sign on its place. Joiners and
/// variation selectors are not among them: scripts and emoji need them.
pub fn deceives(character: char) -> bool {
    if matches!(character, ' '..='~') {
        return false;
    }
    character.is_control()
        || matches!(character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' // direction, ends of lines
            | '\u{ad}' | '\u{180e}' | '\u{200b}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' // without width
            | '\u{feff}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}' | '\u{ffa0}' // letters without a form
            | '\u{e0000}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}' // tags: whole sentences that nobody sees
            | '\u{fdd0}'..='\u{fdef}') // what is no character, as the last two of every plane
        || u32::from(character) & 0xfffe == 0xfffe
}

/// `text` with what `escape` makes of every character that is `harmful`.
pub fn rewritten(
    text: &str,
    harmful: impl Fn(char) -> bool,
    escape: impl Fn(char, &mut String),
) -> Cow<'_, str> {
    if !text.chars().any(&harmful) {
        return Cow::Borrowed(text);
    }
    let mut rewritten = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if harmful(character) {
            escape(character, &mut rewritten);
        } else {
            rewritten.push(character);
        }
    }
    Cow::Owned(rewritten)
}

/// `json`, a text made by a serializer, with the same meaning and harmless to a terminal, an eye or a build server:
/// whatever could deceive one of them becomes an escape of JSON.
pub fn harmless_json(json: &str) -> Cow<'_, str> {
    // No line of JSON begins with a colon, and the other signs of orders stand in strings alone.
    let disarmed = orders::rewritten(json, |sign| if sign == b'#' { "\\u0023" } else { "\\u005b" });
    let harmful = |character: char| character != '\n' && deceives(character);
    let escape = |character: char, harmless: &mut String| {
        for unit in character.encode_utf16(&mut [0; 2]) {
            // Writing to a String cannot fail.
            let _ = write!(harmless, "\\u{unit:04x}");
        }
    };
    match disarmed {
        Cow::Borrowed(json) => rewritten(json, harmful, escape),
        Cow::Owned(json) => Cow::Owned(rewritten(&json, harmful, escape).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_means_the_same_and_steers_nothing() {
        for text in ["plain é 👩‍🚀", "a\u{7f}b\u{9b}c\u{202e}d\u{e0041}e", "##vso[a] ###[b] #c", "\\ \" \u{1b}"]
        {
            let written = serde_json::to_string(text).unwrap();
            let harmless = harmless_json(&written);
            assert_eq!(serde_json::from_str::<String>(&harmless).unwrap(), text);
            assert!(!harmless.chars().any(deceives) && !harmless.contains("##"), "{harmless}");
        }
    }

    #[test]
    fn what_scripts_and_emoji_need_does_not_deceive() {
        for text in
            ["plain é ß ё", "👩‍🚀 ❤️ 🏴", "नमस्ते क्‍ष", "می‌خواهم", "한글 ㄱ", "ᠮᠣᠩᠭᠣᠯ᠋", "葛󠄀", "\u{fffd}\u{fffc}"]
        {
            assert_eq!(text.chars().find(|character| deceives(*character)), None, "{text}");
        }
    }

    #[test]
    fn what_is_shown_as_nothing_or_as_something_else_deceives() {
        let text = "\0\u{8}\u{1b}\u{7f}\u{85}\u{9b}\u{ad}\u{200b}\u{2028}\u{202e}\u{2069}\u{3164}\u{feff}\u{fdd0}\u{fffe}\u{ffff}\u{1fffe}\u{e0041}\u{10ffff}";
        assert_eq!(text.chars().find(|character| !deceives(*character)), None);
    }
}
