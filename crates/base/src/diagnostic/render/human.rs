//! For people: the message, the place with its line underlined, what to do.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::super::diagnostic::{Diagnostic, Label, Severity};
use super::super::source_file::SourceFile;
use crate::context::Colouring;
use crate::text::{ci_commands, columns, is_confusable};

/// The appearance of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RenderStyle {
    /// Whether terminal colours are used; without them the text says the same.
    pub colour: Colouring,
    /// The number of columns of the terminal: source lines are truncated to it, words wrapped. If there is none, source lines
    /// are truncated to 120 columns, and words never wrapped.
    pub width: Option<usize>,
}

/// The column at which source lines are truncated without a terminal.
const WIDTH: usize = 120;

/// The narrowest text that is readable.
const LEAST_WIDTH: usize = 24;

/// The columns before a help, with a line number of two digits.
const HELP: usize = "   = help: ".len();

/// Longer source lines are cut before they are drawn: drawing costs time by the character.
const LONGEST_LINE: usize = 4096;

/// Every diagnostic with its source lines, an empty line after each.
pub fn human(diagnostics: &[Diagnostic], look: RenderStyle) -> String {
    let renderer = match look.colour {
        Colouring::Coloured => Renderer::styled(),
        Colouring::Plain => Renderer::plain(),
    };
    let width = look.width.map(|width| width.max(LEAST_WIDTH));
    let renderer = renderer.term_width(width.unwrap_or(WIDTH));
    diagnostics
        .iter()
        .map(|diagnostic| one(diagnostic, &renderer, width) + "\n\n")
        .collect()
}

/// Words made harmless, in lines that fit behind `before` columns where there is a width.
fn words(text: &str, before: usize, width: Option<usize>) -> String {
    let text = harmless(text);
    match width {
        Some(width) => {
            columns::wrapped(&text, width.saturating_sub(before).max(LEAST_WIDTH / 2)).join("\n")
        }
        None => text,
    }
}

fn one(diagnostic: &Diagnostic, renderer: &Renderer, width: Option<usize>) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let code = diagnostic.code.as_str();
    let before = format!("{}[{code}]: ", word(diagnostic.severity)).len();
    let title = level
        .primary_title(words(&diagnostic.message, before, width))
        .id(code);
    let mut group = Group::with_title(title);
    for (index, (source, labels)) in by_file(diagnostic).into_iter().enumerate() {
        let name = harmless(&source.name);
        group = match Window::around(source, &labels) {
            Some(window) => group.element(
                Snippet::source(window.text)
                    .line_start(window.line)
                    .path(name)
                    .annotations(window.labels.into_iter().enumerate().map(
                        |(place, (span, label))| {
                            let is_primary = index == 0 && place == 0;
                            let kind = if is_primary {
                                AnnotationKind::Primary
                            } else {
                                AnnotationKind::Context
                            };
                            let annotation = kind.span(span);
                            if label.is_empty() {
                                annotation
                            } else {
                                annotation.label(label)
                            }
                        },
                    )),
            ),
            None => group.element(Origin::path(name)),
        };
    }
    let help = |help| Level::HELP.message(words(help, HELP, width));
    let group = diagnostic
        .help
        .iter()
        .fold(group, |group, text| group.element(help(text)));
    renderer.render(&[group])
}

/// The files of a problem, the primary one first, each with its places.
fn by_file(diagnostic: &Diagnostic) -> Vec<(&SourceFile, Vec<&Label>)> {
    let mut files: Vec<(&SourceFile, Vec<&Label>)> = diagnostic
        .source
        .iter()
        .map(|source| (&**source, Vec::new()))
        .collect();
    for label in &diagnostic.labels {
        match files
            .iter_mut()
            .find(|(source, _)| source.is_same_part(&label.source))
        {
            Some((_, labels)) => labels.push(label),
            None => files.push((&label.source, vec![label])),
        }
    }
    files
}

/// The lines that labels are in, and the labels with offsets into them.
struct Window {
    text: String,
    line: usize,
    labels: Vec<(Range<usize>, String)>,
}

impl Window {
    fn around(source: &SourceFile, labels: &[&Label]) -> Option<Self> {
        let text = &source.text;
        // A place in the middle of a character would be a mistake of ours; the text is not lost for it.
        let floor = |offset: u32| text.floor_char_boundary(offset as usize);
        let first = labels.iter().map(|label| floor(label.span.start)).min()?;
        let last = labels.iter().map(|label| floor(label.span.start)).max()?;
        let start = text[..first].rfind('\n').map_or(0, |newline| newline + 1);
        let end = text[last..]
            .find('\n')
            .map_or(text.len(), |newline| last + newline);
        // A line too long to draw is truncated to the part around the place.
        let from = if first - start > LONGEST_LINE {
            floor_back(text, first, LONGEST_LINE / 2)
        } else {
            start
        };
        let to = if end - last > LONGEST_LINE {
            text.floor_char_boundary(last + LONGEST_LINE / 2)
        } else {
            end
        };
        let to = from + text[from..to].trim_end_matches('\r').len();
        let labels = labels.iter().map(|label| {
            let begin = floor(label.span.start).clamp(from, to);
            let line_end = text[begin..to]
                .find('\n')
                .map_or(to, |newline| begin + newline);
            // Only the first line of a place is underlined; an empty place still gets its sign.
            let finish = floor(label.span.end).clamp(begin, line_end);
            (begin - from..finish - from, harmless(&label.text))
        });
        let labels = labels.collect();
        let before = memchr::memchr_iter(b'\n', &text.as_bytes()[..start]).count();
        let line = before + source.first_line as usize;
        Some(Self {
            text: harmless(&text[from..to]),
            line,
            labels,
        })
    }
}

fn floor_back(text: &str, offset: usize, back: usize) -> usize {
    text.floor_char_boundary(offset.saturating_sub(back))
}

/// The word a severity is printed as.
pub(super) fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// Text from a file, made harmless for a terminal and for a CI server that reads its output: what could control either or
/// reorder text is replaced by the same number of bytes, so that offsets stay valid.
fn harmless(text: &str) -> String {
    let sign = |character: char| match character {
        '\n' | '\t' => character,
        _ if !steers(character) => character,
        _ => match character.len_utf8() {
            1 => '?',
            2 => '¿',
            3 => '\u{fffd}',
            _ => '🯄',
        },
    };
    let text: String = text.chars().map(sign).collect();
    ci_commands::escape_with(&text, |_| "?").into_owned()
}

/// Whether a character changes how others are shown, instead of being shown: here joiners as well, since the place below
/// a line is found by counting signs.
fn steers(character: char) -> bool {
    is_confusable(character) || matches!(character, '\u{200c}' | '\u{200d}')
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::super::{Code, Span};
    use super::*;

    fn check(text: &str, span: (usize, usize), expected: &str) {
        let source = Arc::new(SourceFile::new("a.yaml", "a.yaml", text));
        let diagnostic =
            Diagnostic::error(Code::Syntax, "wrong").at(&source, Span::new(span.0, span.1), "here");
        assert_eq!(human(&[diagnostic], RenderStyle::default()), expected);
    }

    #[test]
    fn a_place_is_underlined() {
        check(
            "a: ünï b\n",
            (3, 8),
            "error[syntax]: wrong\n --> a.yaml:1:4\n  |\n1 | a: ünï b\n  |    ^^^ here\n\n",
        );
    }

    #[test]
    fn only_the_first_line_of_a_place_is_underlined() {
        check(
            "a: b\r\nc: d\r\n",
            (3, 9),
            "error[syntax]: wrong\n --> a.yaml:1:4\n  |\n1 | a: b\n  |    ^ here\n\n",
        );
    }

    #[test]
    fn an_empty_place_at_the_end_has_its_sign() {
        check(
            "a:",
            (2, 2),
            "error[syntax]: wrong\n --> a.yaml:1:3\n  |\n1 | a:\n  |   ^ here\n\n",
        );
        check(
            "a:\n",
            (3, 3),
            "error[syntax]: wrong\n --> a.yaml:2:1\n  |\n2 |\n  | ^ here\n\n",
        );
    }

    #[test]
    fn a_second_place_may_be_in_another_file() {
        let [test, config] = ["a.test.yaml", "ananke.config.yaml"]
            .map(|name| Arc::new(SourceFile::new(name, name, "forbid: [pay]\n")));
        let diagnostic = Diagnostic::error(Code::Contradiction, "both")
            .at(&test, Span::new(9, 12), "here")
            .at(&config, Span::new(9, 12), "and here");
        let expected = "error[contradiction]: both\n --> a.test.yaml:1:10\n  |\n1 | forbid: [pay]\n  |          ^^^ here\n  |\n ::: ananke.config.yaml:1:10\n  |\n1 | forbid: [pay]\n  |          --- and here\n\n";
        assert_eq!(human(&[diagnostic], RenderStyle::default()), expected);
    }

    #[test]
    fn a_place_outside_the_text_is_no_panic() {
        let source = Arc::new(SourceFile::new("a.yaml", "a.yaml", "é"));
        for span in [
            Span::new(1, 1),
            Span::new(7, 9),
            Span::new(2, 0),
            Span::new(0, 99),
        ] {
            let diagnostic = Diagnostic::error(Code::Syntax, "wrong").at(&source, span, "");
            assert!(
                human(&[diagnostic], RenderStyle::default()).starts_with("error[syntax]: wrong")
            );
        }
    }

    #[test]
    fn what_has_no_file_is_told_too() {
        let diagnostic =
            Diagnostic::warning(Code::NoTests, "nothing\u{1b}[2J to do").help("write a test");
        let expected = "warning[no-tests]: nothing?[2J to do\n |\n = help: write a test\n\n";
        assert_eq!(
            human(std::slice::from_ref(&diagnostic), RenderStyle::default()),
            expected
        );
        assert!(
            human(
                &[diagnostic],
                RenderStyle {
                    colour: Colouring::Coloured,
                    width: Some(80)
                }
            )
            .contains("\u{1b}[")
        );
    }

    #[test]
    fn a_narrow_terminal_wraps_words_and_cuts_lines_round_the_place() {
        let text = "name: 旅行者が東京から\tto: a place that nobody has heard of\n";
        let place = text.find("a place").unwrap();
        let source = Arc::new(SourceFile::new("a.yaml", "a.yaml", text));
        let diagnostic = Diagnostic::error(Code::Syntax, "this is wrong in more words than fit")
            .at(&source, Span::new(place, place + 7), "")
            .help("say it in fewer words than this help does");
        let expected = "error[syntax]: this is wrong in\n               more words than\n               fit\n --> a.yaml:1:20\n  |\n1 | ...   to: a place that no...\n  |           ^^^^^^^\n  |\n  = help: say it in fewer words\n          than this help does\n\n";
        let look = RenderStyle {
            colour: Colouring::Plain,
            width: Some(32),
        };
        assert_eq!(human(&[diagnostic], look), expected);
    }

    #[test]
    fn hostile_lines_are_harmless() {
        let rendered = {
            let source = Arc::new(SourceFile::new(
                "a\u{1b}.yaml",
                "a",
                "k\u{9b}31m\u{202e}\u{1b}[2J: 1",
            ));
            let diagnostic =
                Diagnostic::error(Code::Syntax, "wrong").at(&source, Span::new(0, 1), "\u{7}");
            human(&[diagnostic], RenderStyle::default())
        };
        assert!(
            !rendered
                .chars()
                .any(|character| character != '\n' && super::steers(character)),
            "{rendered:?}"
        );
    }
}
