//! The style in which the text of a value is written in its file: after which header, or with which escapes.
//!
//! Flows in: a source and the place of a text. Flows out: what decides about its last line break and its control characters, so that
//! both can be changed. **Invariant:** what is not certain is [`ScalarStyle::Other`], and nothing is changed there.

use crate::diagnostic::{SourceFile, Span};

/// The style in which a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarStyle {
    /// In double quotes, with escapes.
    DoubleQuoted,
    /// After a header, such as `|` or `>-`, at this place.
    Block(Span),
    /// Elsewhere: in what an alias brings.
    Aliased,
    /// In another way.
    Other,
}

/// An escape, or a character that is not escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenCharacter<'s> {
    /// Its place in the file.
    pub span: Span,
    /// The characters in the file: `\b`.
    pub written: &'s str,
    /// The character that they mean.
    pub character: char,
}

/// A text as its file writes it.
#[derive(Clone, Copy, Debug)]
pub struct WrittenScalar<'s> {
    source: &'s str,
    /// The place of the text; for an alias that of the anchored text.
    span: Span,
    /// The style of the text.
    pub style: ScalarStyle,
}

impl<'s> WrittenScalar<'s> {
    /// The text at `span` of a YAML or JSON file.
    pub fn at(source: &'s SourceFile, span: Span) -> Self {
        let text = source.text.as_str();
        let (start, end) = (span.start as usize, span.end as usize);
        let rest = text.get(start..).unwrap_or_default();
        let of = |span, style| Self {
            source: text,
            span,
            style,
        };
        if let Some(name) = rest.strip_prefix('*') {
            let Some(anchored) = anchored(text, name) else {
                return of(Span::default(), ScalarStyle::Aliased);
            };
            let place = Span::new(anchored, anchored);
            return match text[anchored..].chars().next() {
                Some('|' | '>') => {
                    let header = header_end(&text[anchored..]);
                    let header = Span::new(anchored, anchored + header);
                    of(place, ScalarStyle::Block(header))
                }
                Some('"') => of(place, ScalarStyle::DoubleQuoted),
                Some('\'') => of(place, ScalarStyle::Other),
                _ => of(Span::default(), ScalarStyle::Aliased),
            };
        }
        if rest.starts_with('"') {
            return of(Span::new(start, end), ScalarStyle::DoubleQuoted);
        }
        match header_before(text, start) {
            Some(header) => of(span, ScalarStyle::Block(header)),
            None => of(span, ScalarStyle::Other),
        }
    }

    /// The characters of the text; none of a text that is written elsewhere.
    pub fn characters(&self) -> Vec<WrittenCharacter<'s>> {
        let (start, end) = (self.span.start as usize, self.span.end as usize);
        let is_quoted = self.style == ScalarStyle::DoubleQuoted;
        let mut found = Vec::new();
        let mut at = start + usize::from(is_quoted);
        while let Some(character) = self.source.get(at..).and_then(|rest| rest.chars().next()) {
            if is_quoted && character == '"' || !is_quoted && at >= end {
                break;
            }
            let (length, character) = match character {
                '\\' if is_quoted => escape(&self.source[at..]),
                other => (other.len_utf8(), other),
            };
            let next = at + length;
            found.push(WrittenCharacter {
                span: Span::new(at, next),
                written: self.source.get(at..next).unwrap_or_default(),
                character,
            });
            at = next;
        }
        found
    }
}

/// The beginning of the value of an anchor that `rest` names at its beginning.
fn anchored(text: &str, rest: &str) -> Option<usize> {
    let is_name = |sign: char| !sign.is_whitespace() && !",[]{}".contains(sign);
    let name = &rest[..rest.find(|sign| !is_name(sign)).unwrap_or(rest.len())];
    let anchor = format!("&{name}");
    let ends: Vec<usize> = text
        .match_indices(&anchor)
        .map(|(at, _)| at + anchor.len())
        .filter(|end| !text[*end..].starts_with(is_name))
        .collect();
    // An anchor that is defined again is another one.
    let [end] = ends.as_slice() else { return None };
    let spaces = text[*end..].len() - text[*end..].trim_start_matches([' ', '\t']).len();
    Some(end + spaces)
}

/// The header of the block that begins at `start`: at the end of the line before it, apart from a comment.
fn header_before(text: &str, start: usize) -> Option<Span> {
    let before = text.get(..start)?;
    let line = before.trim_end();
    if !before[line.len()..].contains('\n') {
        return None;
    }
    let begin = line.rfind('\n').map_or(0, |end| end + 1);
    let line = &line[begin..];
    let line = line.find(" #").map_or(line, |comment| &line[..comment]);
    let line = line.trim_end();
    let sign = line.trim_end_matches(|sign: char| "+-".contains(sign) || sign.is_ascii_digit());
    let header = sign.strip_suffix(['|', '>'])?;
    let is_alone = header.is_empty() || header.ends_with([' ', '\t']);
    is_alone.then(|| Span::new(begin + header.len(), begin + line.len()))
}

/// The length of the header at the beginning of a text.
fn header_end(text: &str) -> usize {
    let is_part = |sign: char| "|>+-".contains(sign) || sign.is_ascii_digit();
    text.find(|sign| !is_part(sign)).unwrap_or(text.len())
}

/// The length and the meaning of the escape that a text begins with.
fn escape(text: &str) -> (usize, char) {
    let Some(sign) = text[1..].chars().next() else {
        return (1, '\\');
    };
    let digits = match sign {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => 0,
    };
    let length = 1 + sign.len_utf8() + digits;
    let code = |digits| {
        u32::from_str_radix(digits, 16)
            .ok()
            .and_then(char::from_u32)
    };
    let character = match sign {
        'b' => '\u{8}',
        'a' => '\u{7}',
        'e' => '\u{1b}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' | '\t' => '\t',
        'v' => '\u{b}',
        '0' => '\0',
        'N' => '\u{85}',
        '_' => '\u{a0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        'x' | 'u' | 'U' => text.get(2..length).and_then(code).unwrap_or('\u{fffd}'),
        other => other,
    };
    (length, character)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::source::{Node, parse};

    /// The value of `key`, or of its first item, as it is written.
    fn written(text: &str, take: impl Fn(&str, WrittenScalar<'_>)) {
        let source = Arc::new(SourceFile::new("a", "a", text));
        let node = parse(&source).unwrap_or_else(|problems| panic!("{text}: {problems:?}"));
        let value = node.get("key").unwrap();
        let value: &Node = value.items().first().unwrap_or(value);
        take(
            value.as_str().unwrap(),
            WrittenScalar::at(&source, value.span),
        );
    }

    #[test]
    fn the_header_of_a_block_is_found() {
        for (text, header) in [
            ("key: |\n  a\n", "|"),
            ("key: >+\n  a\n\n", ">+"),
            ("key: |2-\n   a\nb: 1\n", "|2-"),
            ("key: | # why |\n\n  a\n", "|"),
            ("key:\n- |\n  a\n- b\n", "|"),
            ("key: &x |\n  a\nb: 1\n", "|"),
            ("b: &x |\n  a\nkey: *x\n", "|"),
            ("b: &x |-\n  a\nkey: [*x]\n", "|-"),
        ] {
            written(text, |_, scalar| {
                let ScalarStyle::Block(span) = scalar.style else {
                    panic!("{text}: {scalar:?}");
                };
                assert_eq!(&text[span.range()], header, "{text}");
            });
        }
        for (text, style) in [
            ("key: \"a\\n\"\n", ScalarStyle::DoubleQuoted),
            ("key: 'a'\n", ScalarStyle::Other),
            ("key: a |\n  b\n", ScalarStyle::Other),
            ("b: '|'\nkey:\n  a\n", ScalarStyle::Other),
            ("b: &x \"a\"\nkey: *x\n", ScalarStyle::DoubleQuoted),
            ("key: &x \"a\"\n", ScalarStyle::DoubleQuoted),
            ("b: &x\n  key: |\n    a\n<<: *x\n", ScalarStyle::Aliased),
        ] {
            written(text, |_, scalar| assert_eq!(scalar.style, style, "{text}"));
        }
    }

    #[test]
    fn escapes_mean_what_the_reader_reads() {
        for text in [
            r#"key: "\b\a\e\f\n\r\t\v\0\N\_\L\P\x41\u00e9\U0001F600\\\"\/\ é""#,
            "key: 'a\\b'",
            "key: a\\b c",
            "b: &x \"\\b!\"\nkey: *x",
        ] {
            written(text, |value, scalar| {
                let characters = scalar.characters();
                let means: String = characters.iter().map(|part| part.character).collect();
                assert_eq!(means.trim_matches('\''), value, "{text}");
                for part in characters {
                    let span = part.span.range();
                    assert_eq!(&text[span], part.written);
                }
            });
        }
        let source = SourceFile::new("a", "a", "\"\\");
        let cut = WrittenScalar::at(&source, Span::new(0, 2)).characters();
        assert_eq!(cut.len(), 1);
        let none = WrittenScalar::at(&source, Span::new(7, 9));
        assert_eq!(
            (none.style, none.characters().len()),
            (ScalarStyle::Other, 0)
        );
    }
}
