//! Literal texts that are written like something else: a template, a glob, a regular expression, an escape.
//!
//! Flows in: a text of a file that is compared as it is. Flows out: a warning with what to write instead. **Invariant:** what
//! people and agents write in prose, Markdown, LaTeX and paths of Windows is not reported.

use super::Interpolation;
use crate::model::Text;
use ananke_base::diagnostic::{Code, Diagnostic};

/// The schema version from which such texts are reported.
const SINCE: (u32, u32) = (1, 4);

/// The kind of thing that a literal text is written like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WrittenLike<'t> {
    /// `{{ name }}`: the name, or all of it.
    Template(&'t str),
    /// `\n` as two characters.
    Escape(&'t str),
    /// `\d+`, `.*`.
    Pattern(&'t str),
    /// `refund*`.
    Glob,
}

impl Interpolation<'_> {
    /// Warns of a literal text, as it is written, that looks like something that is replaced or matched.
    pub fn check_literal(&mut self, text: &Text) {
        if !self.source().is_since(SINCE) {
            return;
        }
        let Some(like) = written_like(&text.value) else {
            return;
        };
        let (part, help) = match like {
            WrittenLike::Template(name) => (
                "{{",
                format!("a variable is written `${{{name}}}`; nothing replaces `{{{{ … }}}}`"),
            ),
            WrittenLike::Escape(escape) => (
                escape,
                format!("YAML reads `{escape}` as an escape in double quotes alone"),
            ),
            WrittenLike::Pattern(part) => (
                part,
                "write a pattern under `must_match`, `must_not_match` or `match`".to_owned(),
            ),
            WrittenLike::Glob => (
                "*",
                "drop the `*`: the text may be anywhere; or write a pattern under `must_match`, `must_not_match` or `match`"
                    .to_owned(),
            ),
        };
        let message = format!("this text is compared as it is: `{part}` means only itself");
        let warning = Diagnostic::warning(Code::LooksLikePattern, message);
        let warning = self.at(warning, text.span).help(help);
        self.add(warning);
    }
}

impl Interpolation<'_> {
    /// Warns of a header or a variable for a program, as it is written, with what looks like a variable of a shell or a template.
    pub fn check_sent(&mut self, text: &Text) {
        if !self.source().is_since(SINCE) {
            return;
        }
        let (written, name) = match (shell_variable(&text.value), template(&text.value)) {
            (Some(name), _) => ("$NAME", name),
            (None, Some(WrittenLike::Template(name))) => ("{{ … }}", name),
            (None, _) => return,
        };
        // The text may be a secret: no part of it is quoted.
        let message = format!("this text is passed on as it is: nothing replaces `{written}`");
        let help = format!("a variable of the environment is written `${{ENV.{name}}}`");
        let warning = Diagnostic::warning(Code::LooksLikePattern, message);
        let warning = self.at(warning, text.span).help(help);
        self.add(warning);
    }
}

/// The name of the first `$NAME` in a text: capital letters, as variables of the environment have. Two `$` are one that is meant.
fn shell_variable(text: &str) -> Option<&str> {
    let mut rest = text;
    while let Some((_, after)) = rest.split_once('$') {
        let is_of_name =
            |sign: char| sign.is_ascii_uppercase() || sign.is_ascii_digit() || sign == '_';
        let end = after.find(|sign| !is_of_name(sign)).unwrap_or(after.len());
        let name = &after[..end];
        let goes_on = after[end..].starts_with(|sign: char| sign.is_alphanumeric());
        let begins = name.starts_with(|sign: char| !sign.is_ascii_digit());
        if begins && name.len() > 1 && !goes_on {
            return Some(name);
        }
        rest = after.strip_prefix('$').unwrap_or(after);
    }
    None
}

fn written_like(text: &str) -> Option<WrittenLike<'_>> {
    template(text)
        .or_else(|| backslash(text))
        .or_else(|| any_characters(text))
        .or_else(|| is_glob(text).then_some(WrittenLike::Glob))
}

/// `{{ name }}` and `{% if … %}`: JSON has no name after two braces.
fn template(text: &str) -> Option<WrittenLike<'_>> {
    for (open, close) in [("{{", "}}"), ("{%", "%}")] {
        let inside = text
            .split_once(open)
            .and_then(|(_, rest)| rest.split_once(close));
        if let Some((inside, _)) = inside {
            let name = inside.trim().trim_matches('-').trim();
            if name.starts_with(|sign: char| sign.is_ascii_alphabetic() || sign == '_') {
                return Some(WrittenLike::Template(name));
            }
        }
    }
    None
}

/// An escape after a word, as in `one\ntwo`, or a class of characters. What begins a word may be LaTeX, and a text with a
/// drive a path.
fn backslash(text: &str) -> Option<WrittenLike<'_>> {
    if text.contains(":\\") || text.starts_with("\\\\") {
        return None;
    }
    for (at, _) in text.match_indices('\\') {
        let mut after = text[at + 1..].chars();
        let (Some(letter), next) = (after.next(), after.next()) else {
            continue;
        };
        let escape = &text[at..=at + letter.len_utf8()];
        let ends = !next.is_some_and(char::is_alphabetic);
        match letter {
            'd' | 'w' | 's' | 'b' | 'D' | 'W' | 'S' | 'B' if ends => {
                return Some(WrittenLike::Pattern(escape));
            }
            'n' | 't' | 'r' if text[..at].ends_with(is_in_prose) => {
                return Some(WrittenLike::Escape(escape));
            }
            'u' | 'x' if next.is_some_and(|sign| sign.is_ascii_hexdigit()) => {
                return Some(WrittenLike::Escape(escape));
            }
            _ => {}
        }
    }
    None
}

/// Whether prose goes on to a line break after such a character.
fn is_in_prose(sign: char) -> bool {
    sign.is_alphanumeric() || ".,;:!?)\"'".contains(sign)
}

/// `.*` and `.+` after a letter or between words; not in `*.*`.
fn any_characters(text: &str) -> Option<WrittenLike<'_>> {
    [".*", ".+"].into_iter().find_map(|part| {
        let (before, after) = text.split_once(part)?;
        let is_between = !before.ends_with(['*', '.']) && !after.starts_with(['*', '.', '+']);
        (is_between && before.len() + after.len() > 0).then_some(WrittenLike::Pattern(part))
    })
}

/// Whether the one `*` of a text is at its start or end, next to a letter.
fn is_glob(text: &str) -> bool {
    let is_next = |sign: char| sign.is_alphabetic() || matches!(sign, '_' | '/');
    let begins = text
        .strip_prefix('*')
        .and_then(|rest| rest.chars().next())
        .is_some_and(|sign| is_next(sign) || sign == '.');
    let ends = text
        .strip_suffix('*')
        .and_then(|rest| rest.chars().next_back())
        .is_some_and(is_next);
    text.matches('*').count() == 1 && (begins || ends)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_like_something_else_is_found() {
        for (text, expected) in [
            ("Hello {{ user.name }}", WrittenLike::Template("user.name")),
            ("{%- if paid -%}", WrittenLike::Template("if paid")),
            (r"one\ntwo", WrittenLike::Escape(r"\n")),
            (r"caf\u00e9", WrittenLike::Escape(r"\u")),
            (r"\d+ EUR", WrittenLike::Pattern(r"\d")),
            (r"order \w", WrittenLike::Pattern(r"\w")),
            ("error.*card", WrittenLike::Pattern(".*")),
            ("refund*", WrittenLike::Glob),
            ("*.pdf", WrittenLike::Glob),
        ] {
            assert_eq!(written_like(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn a_variable_of_a_shell_is_found() {
        for (text, expected) in [
            ("Bearer $TOKEN", Some("TOKEN")),
            ("$API_KEY_2", Some("API_KEY_2")),
            ("a $$X $TOKEN", Some("TOKEN")),
            ("${ENV.TOKEN}", None),
            ("$${ENV.TOKEN} $$TOKEN", None),
            ("costs $5 or $A", None),
            ("$TOKENs and $token", None),
            ("$", None),
        ] {
            assert_eq!(shell_variable(text), expected, "{text}");
        }
    }

    #[test]
    fn prose_is_not_reported() {
        for text in [
            "It costs 5 EUR.",
            "${name} and {name}",
            r#"{"a": {"b": 1}}"#,
            r#"{{"a": 1}}"#,
            "**bold** and *italic*",
            "* an item",
            "3 * 4",
            "*.*",
            "Wait...*",
            "4*",
            r"C:\temp\new",
            r"\\server\new",
            r"the \theta of \nabla and $\delta$",
            r"\sum_{n}",
            "a path/to/file.txt",
            ".*",
        ] {
            assert_eq!(written_like(text), None, "{text}");
        }
    }
}
