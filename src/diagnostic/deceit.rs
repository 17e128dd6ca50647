//! Characters that are shown as something other than what they are: one character in, whether it is one of them out.
//!
//! What an agent says may hold them, and whoever shows it makes them visible first.

/// Whether a terminal, or the eye, takes `character` for something other than a sign on its place. Joiners and
/// variation selectors are not among them: scripts and emoji need them.
pub fn deceives(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' // direction
            | '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{206a}'..='\u{206f}' // without width
            | '\u{2028}' | '\u{2029}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
            | '\u{e0000}'..='\u{e007f}') // tags: whole sentences that nobody sees
}
