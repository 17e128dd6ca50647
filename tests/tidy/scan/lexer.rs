//! Tokens of Rust source, without comments: words, signs and literals.

use super::until;

/// A word, a `::`, or any other single character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// An identifier or keyword.
    Word(String),
    /// `::`
    PathSeparator,
    /// Anything else that is no space.
    Other(char),
}

/// The tokens of `source`, without comments and literals.
pub(crate) fn tokens(source: &str) -> Vec<Token> {
    let chars: Vec<char> = source.chars().collect();
    let at = |index: usize| chars.get(index).copied();
    let mut tokens = Vec::new();
    let mut index = 0;
    while let Some(this) = at(index) {
        match (this, at(index + 1)) {
            ('/', Some('/')) => index = until(&chars, index, |c| c == '\n'),
            ('/', Some('*')) => index = after_block_comment(&chars, index),
            ('"', _) => index = after_string(&chars, index),
            ('r' | 'b' | 'c', _) if raw_string_hashes(&chars, index).is_some() => {
                index = after_raw_string(&chars, index);
            }
            ('b' | 'c', Some('"')) => index = after_string(&chars, index + 1),
            ('\'', _) => index = after_char_or_lifetime(&chars, index),
            (':', Some(':')) => {
                tokens.push(Token::PathSeparator);
                index += 2;
            }
            (c, _) if is_word(c) => {
                let end = until(&chars, index, |c| !is_word(c));
                tokens.push(Token::Word(chars[index..end].iter().collect()));
                index = end;
            }
            (c, _) => {
                if !c.is_whitespace() {
                    tokens.push(Token::Other(c));
                }
                index += 1;
            }
        }
    }
    tokens
}

pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

pub(super) fn after_block_comment(chars: &[char], from: usize) -> usize {
    let mut depth = 0_usize;
    let mut index = from;
    while index < chars.len() {
        match (chars[index], chars.get(index + 1)) {
            ('/', Some('*')) => (depth, index) = (depth + 1, index + 2),
            ('*', Some('/')) => {
                (depth, index) = (depth - 1, index + 2);
                if depth == 0 {
                    return index;
                }
            }
            _ => index += 1,
        }
    }
    index
}

pub(super) fn after_string(chars: &[char], from: usize) -> usize {
    let mut index = from + 1;
    while index < chars.len() {
        match chars[index] {
            '\\' => index += 2,
            '"' => return index + 1,
            _ => index += 1,
        }
    }
    index
}

/// For the start of a raw string (`r"`, `r#"`, `br#"`, …): the index of its quote and its number of hashes.
pub(super) fn raw_string_hashes(chars: &[char], from: usize) -> Option<(usize, usize)> {
    if from > 0 && is_word(chars[from - 1]) {
        return None;
    }
    let r = if chars[from] == 'r' { from } else { from + 1 };
    if chars.get(r) != Some(&'r') {
        return None;
    }
    let quote = until(chars, r + 1, |c| c != '#');
    (chars.get(quote) == Some(&'"')).then_some((quote, quote - r - 1))
}

pub(super) fn after_raw_string(chars: &[char], from: usize) -> usize {
    let Some((quote, hashes)) = raw_string_hashes(chars, from) else {
        return from + 1;
    };
    let mut index = quote + 1;
    while index < chars.len() {
        let closes = chars[index] == '"'
            && chars[index + 1..]
                .iter()
                .take(hashes)
                .filter(|c| **c == '#')
                .count()
                == hashes;
        index += 1;
        if closes {
            return index + hashes;
        }
    }
    index
}

pub(super) fn after_char_or_lifetime(chars: &[char], from: usize) -> usize {
    match (chars.get(from + 1), chars.get(from + 2)) {
        (Some('\\'), _) => until(chars, from + 3, |c| c == '\'') + 1,
        (Some(_), Some('\'')) => from + 3,
        _ => until(chars, from + 1, |c| !is_word(c)),
    }
}
