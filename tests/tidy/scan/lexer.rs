//! The lexemes of Rust source, each with its line, and the tokens of those who need neither comments nor literals.

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

/// The kind of a [`Lexeme`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LexemeKind {
    /// An identifier, a keyword or a number.
    Word,
    /// `::`
    PathSeparator,
    /// Any other single character.
    Sign,
    /// A string or a character, with its quotes.
    Literal,
    /// The name of a lifetime or of a loop.
    Lifetime,
    /// A comment, with its slashes: to the end of its line, or to the end of its block.
    Comment,
}

/// A piece of source between spaces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lexeme<'s> {
    pub(crate) kind: LexemeKind,
    pub(crate) text: &'s str,
    /// The byte at which it begins.
    pub(crate) start: usize,
    /// The line on which it begins, from 1.
    pub(crate) line: usize,
}

/// The lexemes of `source`, in its order.
pub(crate) fn lexemes(source: &str) -> Vec<Lexeme<'_>> {
    let mut lexemes = Vec::new();
    let mut start = 0;
    let mut line = 1;
    while let Some(&byte) = source.as_bytes().get(start) {
        if byte.is_ascii_whitespace() {
            line += usize::from(byte == b'\n');
            start += 1;
            continue;
        }
        let (kind, end) = lexeme_at(source, start);
        let text = &source[start..end];
        lexemes.push(Lexeme {
            kind,
            text,
            start,
            line,
        });
        // Only these have several lines, and to count the lines of every word is slow without optimisation.
        if matches!(kind, LexemeKind::Literal | LexemeKind::Comment) {
            line += text.matches('\n').count();
        }
        start = end;
    }
    lexemes
}

/// The tokens of `source`, without comments and literals.
pub(crate) fn tokens(source: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    for lexeme in lexemes(source) {
        match lexeme.kind {
            LexemeKind::Word => tokens.push(Token::Word(lexeme.text.to_owned())),
            LexemeKind::PathSeparator => tokens.push(Token::PathSeparator),
            LexemeKind::Sign => tokens.extend(lexeme.text.chars().map(Token::Other)),
            LexemeKind::Literal | LexemeKind::Lifetime | LexemeKind::Comment => {}
        }
    }
    tokens
}

/// The kind of the lexeme that begins at `start`, and the byte after it.
fn lexeme_at(source: &str, start: usize) -> (LexemeKind, usize) {
    let bytes = source.as_bytes();
    let next = bytes.get(start + 1).copied();
    match bytes[start] {
        b'/' if next == Some(b'/') => {
            let end = until(bytes, start, |byte| byte == b'\n');
            (LexemeKind::Comment, end)
        }
        b'/' if next == Some(b'*') => (LexemeKind::Comment, after_block_comment(bytes, start)),
        b'"' => (LexemeKind::Literal, after_string(bytes, start)),
        b'r' | b'b' | b'c' if raw_string_hashes(bytes, start).is_some() => {
            (LexemeKind::Literal, after_raw_string(bytes, start))
        }
        b'b' | b'c' if next == Some(b'"') => (LexemeKind::Literal, after_string(bytes, start + 1)),
        b'b' if next == Some(b'\'') => char_or_lifetime(source, start + 1),
        b'\'' => char_or_lifetime(source, start),
        b':' if next == Some(b':') => (LexemeKind::PathSeparator, start + 2),
        byte if is_word(byte) => (LexemeKind::Word, until(bytes, start, |byte| !is_word(byte))),
        _ => (LexemeKind::Sign, start + 1),
    }
}

/// Source outside of comments and literals is ASCII but for names in other scripts, so that any other byte is part of a word.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

fn until(bytes: &[u8], from: usize, stop: impl Fn(u8) -> bool) -> usize {
    let mut index = from;
    while index < bytes.len() && !stop(bytes[index]) {
        index += 1;
    }
    index
}

fn after_block_comment(bytes: &[u8], from: usize) -> usize {
    let mut depth = 0_usize;
    let mut index = from;
    while index < bytes.len() {
        match (bytes[index], bytes.get(index + 1)) {
            (b'/', Some(b'*')) => {
                depth += 1;
                index += 2;
            }
            (b'*', Some(b'/')) => {
                depth -= 1;
                index += 2;
                if depth == 0 {
                    return index;
                }
            }
            _ => index += 1,
        }
    }
    bytes.len()
}

fn after_string(bytes: &[u8], from: usize) -> usize {
    let mut index = from + 1;
    while index < bytes.len() {
        match bytes[index] {
            b'\\' => index += 2,
            b'"' => return index + 1,
            _ => index += 1,
        }
    }
    bytes.len()
}

/// For the start of a raw string (`r"`, `r#"`, `br#"`, …): the index of its quote and its number of hashes.
fn raw_string_hashes(bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    let r = if bytes[from] == b'r' { from } else { from + 1 };
    if bytes.get(r) != Some(&b'r') {
        return None;
    }
    let quote = until(bytes, r + 1, |byte| byte != b'#');
    (bytes.get(quote) == Some(&b'"')).then_some((quote, quote - r - 1))
}

fn after_raw_string(bytes: &[u8], from: usize) -> usize {
    let Some((quote, hashes)) = raw_string_hashes(bytes, from) else {
        return from + 1;
    };
    let end = [b"\"".as_slice(), &vec![b'#'; hashes]].concat();
    let mut index = quote + 1;
    while index < bytes.len() {
        if bytes[index..].starts_with(&end) {
            return index + end.len();
        }
        index += 1;
    }
    bytes.len()
}

/// `'` begins a character (`'x'`, `'\n'`) or a lifetime.
fn char_or_lifetime(source: &str, from: usize) -> (LexemeKind, usize) {
    let bytes = source.as_bytes();
    if bytes.get(from + 1) == Some(&b'\\') {
        let end = until(bytes, from + 3, |byte| byte == b'\'');
        return (LexemeKind::Literal, bytes.len().min(end + 1));
    }
    let after = source[from + 1..]
        .chars()
        .next()
        .map_or(bytes.len(), |c| from + 1 + c.len_utf8());
    if bytes.get(after) == Some(&b'\'') {
        return (LexemeKind::Literal, after + 1);
    }
    (
        LexemeKind::Lifetime,
        until(bytes, from + 1, |byte| !is_word(byte)),
    )
}
