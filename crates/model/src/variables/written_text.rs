//! Texts that match nothing because of how they are written (SPEC 13).
//!
//! Flows in: a text of a file, and what it is compared as. Flows out: a problem that `check --fix` repairs where it is certain what
//! was meant. **Invariant:** a text that may match what its author means is not reported.

use super::{Interpolation, Leaf, NotReady, call_as_name, tool_name::visible, tool_name_problem};
use crate::model::Text;
use ananke_base::diagnostic::{Code, Diagnostic, Span};
use ananke_base::source::{Node, NodeValue, ScalarStyle, WrittenCharacter, WrittenScalar};

/// The kind of text that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ComparedAs {
    /// A regular expression.
    Pattern,
    /// A text that must not occur.
    Text,
}

impl ComparedAs {
    /// ``the pattern``
    fn subject(self) -> &'static str {
        match self {
            Self::Pattern => "the pattern",
            Self::Text => "the prohibited text",
        }
    }
}

impl Interpolation<'_> {
    /// A text that must not occur, with its references replaced.
    ///
    /// # Errors
    /// If it matches nothing because of how it is written, a variable is known later, or something is wrong, which was reported.
    pub fn prohibited_text(&mut self, text: &Text) -> Leaf<String> {
        let filled = self.text(text)?;
        self.check_written(text, &filled, ComparedAs::Text)?;
        Ok(filled)
    }

    /// Reports the texts in a value that must not occur which match nothing because of how they are written.
    pub fn check_prohibited(&mut self, node: &Node) {
        match &node.value {
            NodeValue::String(value) => {
                let text = Text {
                    value: value.clone(),
                    span: node.span,
                };
                // What is wrong with its references is reported where it is filled.
                let _ = self.check_written(&text, value, ComparedAs::Text);
            }
            NodeValue::List(items) => items.iter().for_each(|item| self.check_prohibited(item)),
            NodeValue::Map(entries) => {
                for entry in entries {
                    self.check_prohibited(&entry.value);
                }
            }
            NodeValue::Null | NodeValue::Bool(_) | NodeValue::Number(_) => {}
        }
    }

    /// Reports that `text`, with its references replaced `filled`, contains a control character or ends with a line break that
    /// its author did not write.
    pub(super) fn check_written(
        &mut self,
        text: &Text,
        filled: &str,
        compared: ComparedAs,
    ) -> Leaf<()> {
        // Nearly no text has any of them.
        if !filled.ends_with('\n') && text.value.chars().all(|sign| is_expected(sign, compared)) {
            return Ok(());
        }
        let problem = self
            .control_character(text, compared)
            .or_else(|| self.line_break(text, filled, compared));
        match problem {
            Some(problem) => {
                self.add(problem);
                Err(NotReady::Invalid)
            }
            None => Ok(()),
        }
    }

    fn control_character(&self, text: &Text, compared: ComparedAs) -> Option<Diagnostic> {
        let written = WrittenScalar::at(self.source(), text.span);
        let is_escaped = |part: &WrittenCharacter<'_>| part.written.starts_with('\\');
        let unexpected = |part: &WrittenCharacter<'_>| {
            // The short escapes of YAML are those of regular expressions, with other meanings.
            let is_short = part.written.len() == 2 && is_escaped(part);
            !is_expected(part.character, compared)
                && (is_short || is_unexpected_control(part.character))
        };
        let characters = written.characters();
        let found: Vec<_> = characters.iter().filter(|part| unexpected(part)).collect();
        let (name, help) = match found.first() {
            Some(part) if is_escaped(part) => (
                part.character,
                format!(
                    "in double quotes `{}` is this character: {}",
                    part.written,
                    match compared {
                        ComparedAs::Pattern => format!("write `{}`", in_pattern(part)),
                        ComparedAs::Text => "remove it".to_owned(),
                    }
                ),
            ),
            Some(part) => (part.character, "remove it".to_owned()),
            // It is in what an alias brings.
            None => {
                let found = text
                    .value
                    .chars()
                    .find(|sign| is_unexpected_control(*sign))?;
                (found, "remove it where the text is written".to_owned())
            }
        };
        let kind = if name.is_control() {
            "control character"
        } else {
            "character"
        };
        let message = format!(
            "{} contains the {kind} U+{:04X}",
            compared.subject(),
            u32::from(name)
        );
        let problem = Diagnostic::error(Code::NeverMatches, message);
        let mut problem = self.at(problem, text.span).help(help);
        let is_left = found.len() < characters.len();
        for part in found.into_iter().filter(|_| is_left) {
            let instead = match compared {
                ComparedAs::Pattern if written.style == ScalarStyle::DoubleQuoted => {
                    in_pattern(part)
                }
                ComparedAs::Pattern => format!("\\x{:02x}", u32::from(part.character)),
                ComparedAs::Text => String::new(),
            };
            problem = problem.fix(self.source(), part.span, instead);
        }
        Some(problem)
    }

    fn line_break(&self, text: &Text, filled: &str, compared: ComparedAs) -> Option<Diagnostic> {
        let without = filled.trim_end_matches('\n');
        let matters = match compared {
            ComparedAs::Text => true,
            // With the flag `x` it means nothing.
            ComparedAs::Pattern => regex_syntax::parse(filled)
                .ok()
                .is_none_or(|parsed| regex_syntax::parse(without) != Ok(parsed)),
        };
        let is_all = without.is_empty();
        if !filled.ends_with('\n') || !matters || is_all {
            return None;
        }
        let (by, help, header) = if text.value.ends_with('\n') {
            match WrittenScalar::at(self.source(), text.span).style {
                ScalarStyle::Block(header) => {
                    let written = self.written(header);
                    let help = format!("write `{}`", without_line_break(written));
                    (format!("`{written}` adds"), help, Some(header))
                }
                ScalarStyle::Aliased => (
                    "the block of the alias adds".to_owned(),
                    "write `|-` where the text is written".to_owned(),
                    None,
                ),
                // It is written as `\n`.
                ScalarStyle::DoubleQuoted | ScalarStyle::Other => return None,
            }
        } else if self.is_draft() {
            let help = "write the value without it: in a block after `|-`".to_owned();
            ("the value of a variable adds".to_owned(), help, None)
        } else {
            return None;
        };
        let message = format!("{} ends with a line break, which {by}", compared.subject());
        let problem = Diagnostic::error(Code::NeverMatches, message);
        let problem = self.at(problem, text.span).help(help);
        Some(match header {
            Some(header) => {
                let instead = without_line_break(self.written(header));
                problem.fix(self.source(), header, instead)
            }
            None => problem,
        })
    }

    /// Reports that the name of a tool, which is `text` with its references replaced, contains what no name does.
    ///
    /// # Errors
    /// If it does.
    pub fn check_tool_name(&mut self, text: &Text, name: &str) -> Leaf<()> {
        let Some(message) = tool_name_problem(name) else {
            return Ok(());
        };
        let problem = self.at(Diagnostic::error(Code::NeverMatches, message), text.span);
        let meant = meant_name(name);
        let problem = problem.help(match &meant {
            Some(meant) => format!("write `{meant}`"),
            None if let Some(help) = call_as_name(name) => help,
            None => "select a tool that has such a name by `name_match`, in an entry of `require` or `forbid_calls`"
                .to_owned(),
        });
        let problem = match (meant, WrittenScalar::at(self.source(), text.span).style) {
            _ if text.value != name => problem,
            (Some(_), ScalarStyle::Block(header)) => {
                let instead = without_line_break(self.written(header));
                problem.fix(self.source(), header, instead)
            }
            (Some(meant), _) if !self.written(text.span).starts_with('*') => {
                problem.fix(self.source(), text.span, format!("\"{meant}\""))
            }
            _ => problem,
        };
        self.add(problem);
        Err(NotReady::Invalid)
    }

    /// The text at a place.
    fn written(&self, span: Span) -> &str {
        self.source().text.get(span.range()).unwrap_or_default()
    }
}

/// The name that was certainly meant.
fn meant_name(name: &str) -> Option<String> {
    let visible = visible(name);
    let meant: String = visible.trim().replace(char::is_control, "");
    let is_plain = |sign: char| !sign.is_whitespace() && !"\"\\".contains(sign);
    (!meant.is_empty() && meant.chars().all(is_plain)).then_some(meant)
}

/// A header without a line break at the end of its block.
fn without_line_break(header: &str) -> String {
    header.replace(['+', '-'], "") + "-"
}

/// An escape of YAML as the escape of a regular expression, in double quotes.
fn in_pattern(part: &WrittenCharacter<'_>) -> String {
    match part.written {
        "\\0" => "\\\\x00".to_owned(),
        "\\e" => "\\\\x1b".to_owned(),
        "\\N" => "\\\\x85".to_owned(),
        written if written.starts_with('\\') => format!("\\{written}"),
        _ => format!("\\\\x{:02x}", u32::from(part.character)),
    }
}

/// Whether texts that are compared so contain such a character.
fn is_expected(sign: char, compared: ComparedAs) -> bool {
    let is_separator = matches!(sign, '\u{a0}' | '\u{2028}' | '\u{2029}');
    !(is_unexpected_control(sign) || is_separator && compared == ComparedAs::Pattern)
}

/// Whether it is a control character other than a tab and a line break.
fn is_unexpected_control(sign: char) -> bool {
    sign.is_control() && !matches!(sign, '\t' | '\n' | '\r')
}
