//! For people: the message, the place with its line underlined, what to do.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::super::{Diagnostic, Label, Severity, SourceFile};
use super::harmless;

/// How the text is to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Whether terminal colours are used; without them the text says the same.
    pub colour: bool,
    /// How many columns there are; longer source lines are cut.
    pub width: usize,
}

impl Default for Look {
    /// Without colours, for a line of 120 columns.
    fn default() -> Self {
        Self { colour: false, width: 120 }
    }
}

/// Longer source lines are cut before they are drawn: drawing costs time by the character.
const LONGEST_LINE: usize = 4096;

/// Every diagnostic with its source lines, an empty line after each.
pub fn human(diagnostics: &[Diagnostic], look: Look) -> String {
    let renderer = if look.colour { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.term_width(look.width);
    diagnostics.iter().map(|diagnostic| one(diagnostic, &renderer) + "\n\n").collect()
}

fn one(diagnostic: &Diagnostic, renderer: &Renderer) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(harmless(&diagnostic.message)).id(diagnostic.code.as_str());
    let mut group = Group::with_title(title);
    if let Some(source) = &diagnostic.source {
        let name = harmless(&source.name);
        group = match Window::around(source, &diagnostic.labels) {
            Some(window) => {
                group.element(Snippet::source(window.text).line_start(window.line).path(name).annotations(
                    window.labels.into_iter().enumerate().map(|(index, (span, label))| {
                        let kind = if index == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
                        let annotation = kind.span(span);
                        if label.is_empty() { annotation } else { annotation.label(label) }
                    }),
                ))
            }
            None => group.element(Origin::path(name)),
        };
    }
    let group =
        diagnostic.help.iter().fold(group, |group, help| group.element(Level::HELP.message(harmless(help))));
    renderer.render(&[group])
}

/// The lines that labels stand in, and the labels with offsets into them.
struct Window {
    text: String,
    line: usize,
    labels: Vec<(Range<usize>, String)>,
}

impl Window {
    fn around(source: &SourceFile, labels: &[Label]) -> Option<Self> {
        let text = &source.text;
        // A place in the middle of a character would be a mistake of ours; the text is not lost for it.
        let floor = |offset: u32| text.floor_char_boundary(offset as usize);
        let first = labels.iter().map(|label| floor(label.span.start)).min()?;
        let last = labels.iter().map(|label| floor(label.span.start)).max()?;
        let start = text[..first].rfind('\n').map_or(0, |newline| newline + 1);
        let end = text[last..].find('\n').map_or(text.len(), |newline| last + newline);
        // Of a line too long to draw only the part round the place is kept.
        let from =
            if first - start > LONGEST_LINE { floor_back(text, first, LONGEST_LINE / 2) } else { start };
        let to =
            if end - last > LONGEST_LINE { text.floor_char_boundary(last + LONGEST_LINE / 2) } else { end };
        let to = from + text[from..to].trim_end_matches('\r').len();
        let labels = labels.iter().map(|label| {
            let begin = floor(label.span.start).clamp(from, to);
            let line_end = text[begin..to].find('\n').map_or(to, |newline| begin + newline);
            // Only the first line of a place is underlined; an empty place still gets its sign.
            let finish = floor(label.span.end).clamp(begin, line_end);
            (begin - from..finish - from, harmless(&label.text))
        });
        let labels = labels.collect();
        let line = memchr::memchr_iter(b'\n', &text.as_bytes()[..start]).count() + 1;
        Some(Self { text: harmless(&text[from..to]), line, labels })
    }
}

fn floor_back(text: &str, offset: usize, back: usize) -> usize {
    text.floor_char_boundary(offset.saturating_sub(back))
}
