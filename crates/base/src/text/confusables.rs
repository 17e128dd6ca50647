//! Characters that are displayed as something other than what they are.
//!
//! What an agent sends can contain them, and everything that displays it makes them visible first.

/// Whether a terminal or a reader takes `character` for something other than one visible character: controls, changes
/// of direction, invisible characters. Joiners and variation selectors are not among them: scripts and emoji need them.
pub fn is_confusable(character: char) -> bool {
    if matches!(character, ' '..='~') {
        return false;
    }
    character.is_control()
        || matches!(character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' // direction, ends of lines
            | '\u{ad}' | '\u{180e}' | '\u{200b}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' // without width
            | '\u{feff}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}' | '\u{ffa0}' // letters without a form
            | '\u{e0000}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}' // tags: whole sentences that are invisible
            | '\u{fdd0}'..='\u{fdef}') // what is no character, as the last two of every plane
        || u32::from(character) & 0xfffe == 0xfffe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_scripts_and_emoji_need_is_not_confusable() {
        for text in [
            "plain é ß ё",
            "👩‍🚀 ❤️ 🏴",
            "नमस्ते क्‍ष",
            "می‌خواهم",
            "한글 ㄱ",
            "ᠮᠣᠩᠭᠣᠯ᠋",
            "葛󠄀",
            "\u{fffd}\u{fffc}",
        ] {
            assert_eq!(
                text.chars().find(|character| is_confusable(*character)),
                None,
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_shown_as_nothing_or_as_something_else_is_confusable() {
        let text = "\0\u{8}\u{1b}\u{7f}\u{85}\u{9b}\u{ad}\u{200b}\u{2028}\u{202e}\u{2069}\u{3164}\u{feff}\u{fdd0}\u{fffe}\u{ffff}\u{1fffe}\u{e0041}\u{10ffff}";
        assert_eq!(
            text.chars().find(|character| !is_confusable(*character)),
            None
        );
    }
}
