//! Reads the text of a filter: `tag(smoke) and not name(/slow/)` (SPEC 10).
//!
//! **Invariant:** whatever is wrong is shown in the text itself, and nesting is bounded.

use std::ops::Range;

use super::filter::{Expression, Filter, FilterValue, Subject};
use ananke_model::variables::{Pattern, Patterns};

/// The largest depth of nested parentheses and `not`.
const DEEPEST: usize = 100;

/// A filter that cannot be read: what is wrong, and the filter with the place underlined.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}\n  {shown}")]
pub struct FilterError {
    message: String,
    shown: String,
}

impl Filter {
    /// Reads a filter.
    ///
    /// # Errors
    /// If it is empty, or is not an expression.
    pub fn parse(text: &str) -> Result<Self, FilterError> {
        let mut reader = FilterReader {
            text,
            at: 0,
            depth: 0,
        };
        reader.skip_blanks();
        if reader.rest().is_empty() {
            return Err(FilterError {
                message: "the filter is empty".to_owned(),
                shown: "write a word of the path or name, or `tag(smoke)`".to_owned(),
            });
        }
        let whole = reader.any()?;
        match reader.peek() {
            None => Ok(Self(whole)),
            Some(_) => Err(reader.wrong(reader.at..reader.at + 1, "unmatched `)`")),
        }
    }
}

struct FilterReader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl<'t> FilterReader<'t> {
    fn any(&mut self) -> Result<Expression, FilterError> {
        let mut any = vec![self.all()?];
        while self.accept_word("or") {
            any.push(self.all()?);
        }
        Ok(if any.len() == 1 {
            any.remove(0)
        } else {
            Expression::Any(any)
        })
    }

    fn all(&mut self) -> Result<Expression, FilterError> {
        let mut all = vec![self.one()?];
        loop {
            // Words side by side must all be there.
            let goes_on = self.accept_word("and")
                || (self.peek().is_some_and(|next| next != ')') && self.word() != "or");
            if !goes_on {
                return Ok(if all.len() == 1 {
                    all.remove(0)
                } else {
                    Expression::All(all)
                });
            }
            all.push(self.one()?);
        }
    }

    fn one(&mut self) -> Result<Expression, FilterError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.wrong(self.at..self.at + 1, "the filter is nested too deeply"));
        }
        let one = self.not_or_atom();
        self.depth -= 1;
        one
    }

    fn not_or_atom(&mut self) -> Result<Expression, FilterError> {
        if self.accept_word("not") {
            return self.one().map(|inner| Expression::Not(Box::new(inner)));
        }
        self.skip_blanks();
        let start = self.at;
        match self.peek() {
            None => Err(self.wrong(start..start, "unexpected end of the filter")),
            Some(')') => {
                Err(self.wrong(start..start + 1, "a condition is missing before this `)`"))
            }
            Some('(') => {
                self.at += 1;
                let inner = self.any()?;
                if self.peek() != Some(')') {
                    return Err(self.wrong(start..start + 1, "unclosed `(`"));
                }
                self.at += 1;
                Ok(inner)
            }
            Some(_) => {
                let word = self.word();
                self.at += word.len();
                let place = start..self.at;
                match word {
                    "and" | "or" => Err(self.wrong(
                        place,
                        format!("a condition is missing before this `{word}`"),
                    )),
                    "&" | "&&" => {
                        Err(self.wrong(place, "write `and`, or nothing: all words must match"))
                    }
                    "|" | "||" => Err(self.wrong(place, "write `or`")),
                    _ if word.starts_with('!') => {
                        Err(self.wrong(start..start + 1, "write `not` before a condition"))
                    }
                    word if self.rest().starts_with('(') => self.subject(word, place),
                    word => Ok(Expression::Word(word.to_owned())),
                }
            }
        }
    }

    /// `name(…)`, behind its name.
    fn subject(&mut self, word: &str, place: Range<usize>) -> Result<Expression, FilterError> {
        let subject = match word {
            "tag" => Subject::Tag,
            "name" => Subject::Name,
            "file" => Subject::File,
            "id" => Subject::Id,
            _ => {
                let message = format!(
                    "`{word}` is not a part of a test: use `tag(…)`, `name(…)`, `file(…)` or `id(…)`"
                );
                return Err(self.wrong(place, message));
            }
        };
        let open = self.at;
        self.at += 1;
        let Some(length) = closing(self.rest()) else {
            return Err(self.wrong(open..open + 1, "unclosed `(`"));
        };
        let inside = self.at..self.at + length;
        let written = &self.text[inside.clone()];
        let blanks = written.len() - written.trim_start().len();
        let written = written.trim();
        let place = inside.start + blanks..inside.start + blanks + written.len();
        self.at = inside.end + 1;
        if written.is_empty() {
            return Err(self.wrong(
                open..self.at,
                format!("`{word}()` needs a text or a `/pattern/`"),
            ));
        }
        let wanted = match written.strip_prefix('/') {
            None => FilterValue::Text(written.to_owned()),
            Some(rest) => {
                let Some(pattern) = rest.strip_suffix('/') else {
                    let message =
                        "a pattern is written between slashes, and its flags inside: `/(?i)slow/`";
                    return Err(self.wrong(place, message));
                };
                self.pattern(pattern, place)?
            }
        };
        Ok(Expression::Is(subject, wanted))
    }

    fn pattern(&self, written: &str, place: Range<usize>) -> Result<FilterValue, FilterError> {
        let wrong = |message: String| self.wrong(place.clone(), message);
        let pattern = Pattern::check(written).map_err(|error| wrong(error.message))?;
        let regex = Patterns::default()
            .compile(&pattern)
            .map_err(|_| wrong("the pattern is too large".to_owned()))?;
        Ok(FilterValue::Like((*regex).clone()))
    }

    fn accept_word(&mut self, word: &str) -> bool {
        self.skip_blanks();
        let is_next = self.word() == word;
        if is_next {
            self.at += word.len();
        }
        is_next
    }

    /// The word that begins here: up to a blank or a parenthesis.
    fn word(&self) -> &'t str {
        let rest = self.rest();
        &rest[..rest
            .find(|c: char| c.is_whitespace() || matches!(c, '(' | ')'))
            .unwrap_or(rest.len())]
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn peek(&mut self) -> Option<char> {
        self.skip_blanks();
        self.rest().chars().next()
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn wrong(&self, place: Range<usize>, message: impl Into<String>) -> FilterError {
        let line: String = self
            .text
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        let count =
            |range: Range<usize>| self.text.get(range).map_or(1, |text| text.chars().count());
        let carets = "^".repeat(count(place.clone()).max(1));
        let indent = " ".repeat(count(0..place.start));
        FilterError {
            message: message.into(),
            shown: format!("{line}\n  {indent}{carets}"),
        }
    }
}

/// The place of the parenthesis that closes the one around `text`; a pattern between slashes may hold any.
fn closing(text: &str) -> Option<usize> {
    if let Some(rest) = text.trim_start().strip_prefix('/') {
        let start = text.len() - rest.len();
        let mut from = 0;
        while let Some(slash) = rest[from..].find('/').map(|found| from + found) {
            let behind = &rest[slash + 1..];
            let blanks = behind.len() - behind.trim_start().len();
            if behind.trim_start().starts_with(')') {
                return Some(start + slash + 1 + blanks);
            }
            from = slash + 1;
        }
    }
    let mut depth = 0_usize;
    for (at, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(at),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::fakes::case;
    use super::*;

    #[test]
    fn takes_what_it_says() {
        let cases = [
            case("shop/pay.yaml", "pays (once)", &["smoke"]),
            case("shop/pay.yaml", "slow card", &["smoke", "card"]),
            case("cart.yaml", "adds", &[]),
        ];
        for (filter, expected) in [
            ("pay", "12"),
            ("pay card", "2"),
            ("pay or adds", "123"),
            ("tag(smoke)", "12"),
            ("tag(smo)", ""),
            ("tag(/^smo/)", "12"),
            ("tag(smoke) and not name(/slow/)", "1"),
            ("not tag(smoke) or name(slow)", "23"),
            ("not (tag(smoke) or name(adds))", ""),
            ("not(tag(card)) shop", "1"),
            ("name(pays (once))", "1"),
            ("name( /\\(once\\)$/ )", "1"),
            ("file(shop/) tag(card)", "2"),
            ("id(cart.yaml::adds)", "3"),
            ("id(cart.yaml)", ""),
            ("adds or pay and card", "23"),
            ("not not adds", "3"),
        ] {
            let parsed = Filter::parse(filter).unwrap_or_else(|error| panic!("{filter}: {error}"));
            let numbers = (1..).zip(&cases).filter(|(_, case)| parsed.matches(case));
            assert_eq!(
                numbers
                    .map(|(number, _)| number.to_string())
                    .collect::<String>(),
                expected,
                "{filter}"
            );
        }
    }

    #[test]
    fn shows_what_it_cannot_read() {
        for (filter, expected) in [
            (
                " ",
                "the filter is empty\n  write a word of the path or name, or `tag(smoke)`",
            ),
            ("a or", "unexpected end of the filter\n  a or\n      ^"),
            ("()", "a condition is missing before this `)`\n  ()\n   ^"),
            ("é (a", "unclosed `(`\n  é (a\n    ^"),
            ("a) b", "unmatched `)`\n  a) b\n   ^"),
            ("tag(a", "unclosed `(`\n  tag(a\n     ^"),
            (
                "tag( )",
                "`tag()` needs a text or a `/pattern/`\n  tag( )\n     ^^^",
            ),
            (
                "or a",
                "a condition is missing before this `or`\n  or a\n  ^^",
            ),
            ("a | b", "write `or`\n  a | b\n    ^"),
            (
                "name(/(/)",
                "the pattern is not a valid regular expression: unclosed group, at character 1\n  name(/(/)\n       ^^^",
            ),
        ] {
            let error = Filter::parse(filter).err().map(|error| error.to_string());
            assert_eq!(error.as_deref(), Some(expected), "{filter}");
        }
        assert!(Filter::parse(&"not ".repeat(100_000)).is_err());
    }
}
