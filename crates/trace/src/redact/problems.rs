//! Diagnostics without secrets, before they are drawn: what is drawn is truncated and wrapped.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::{MASK, Mask, Redactor};
use ananke_base::diagnostic::{Diagnostic, Label, SourceFile, Span};

impl Mask for Diagnostic {
    fn mask(&mut self, redactor: &Redactor) {
        // A fix is for the file, which it has to change as it is.
        let Self {
            code: _,
            severity: _,
            message,
            source: _,
            labels,
            help,
            fixes: _,
        } = self;
        message.mask(redactor);
        for Label {
            source: _,
            span: _,
            text,
        } in labels
        {
            text.mask(redactor);
        }
        help.mask(redactor);
    }
}

impl Redactor {
    /// `problems` with secrets masked in their words, and in lines of their sources that have more than `room`
    /// characters. Shorter lines are drawn whole, and masked afterwards, so that their columns stay what they are.
    pub fn problems(&self, problems: &[Diagnostic], room: usize) -> Vec<Diagnostic> {
        let mut sources: HashMap<*const SourceFile, Option<MaskedSource>> = HashMap::new();
        let mut masked = |source: &Arc<SourceFile>| {
            let masked = sources.entry(Arc::as_ptr(source));
            masked
                .or_insert_with(|| MaskedSource::of(source, self, room))
                .clone()
        };
        let mut problems = problems.to_vec();
        for problem in &mut problems {
            problem.mask(self);
            for label in &mut problem.labels {
                if let Some(masked) = masked(&label.source) {
                    label.span = masked.span(label.span);
                    label.source = masked.source;
                }
            }
            if let Some(masked) = problem.source.as_ref().and_then(&mut masked) {
                problem.source = Some(masked.source);
            }
        }
        problems
    }
}

/// A source with masks in it.
#[derive(Clone)]
struct MaskedSource {
    source: Arc<SourceFile>,
    /// The ranges that were masked, ascending, and the range of the mask of each.
    masks: Arc<[(Range<usize>, Range<usize>)]>,
}

impl MaskedSource {
    /// `None` where nothing is to be masked.
    fn of(source: &SourceFile, redactor: &Redactor, room: usize) -> Option<Self> {
        let (mut text, mut masks, mut done) = (String::new(), Vec::new(), 0);
        for secret in redactor.secrets_in(&source.text) {
            for part in lines_of(&source.text, secret, room) {
                text.push_str(&source.text[done..part.start]);
                masks.push((part.clone(), text.len()..text.len() + MASK.len()));
                text.push_str(MASK);
                done = part.end;
            }
        }
        text.push_str(&source.text[done..]);
        let source = || {
            Arc::new(SourceFile::part(
                Arc::clone(&source.name),
                &source.path,
                text,
                source.first_line,
            ))
        };
        (!masks.is_empty()).then(|| Self {
            source: source(),
            masks: masks.into(),
        })
    }

    fn span(&self, span: Span) -> Span {
        let [start, end] = [span.start, span.end].map(|offset| self.offset(offset as usize));
        Span::new(
            start.unwrap_or_else(|mask| mask.start),
            end.unwrap_or_else(|mask| mask.end),
        )
    }

    /// The offset in the masked text for `offset` of the source, or the mask that is there instead.
    fn offset(&self, offset: usize) -> Result<usize, &Range<usize>> {
        let before = self
            .masks
            .partition_point(|(secret, _)| secret.start < offset);
        let Some((secret, mask)) = before.checked_sub(1).map(|last| &self.masks[last]) else {
            return Ok(offset);
        };
        if offset < secret.end {
            Err(mask)
        } else {
            Ok(offset - secret.end + mask.end)
        }
    }
}

/// The parts of `range` that are in lines of more than `room` characters.
fn lines_of(text: &str, range: Range<usize>, room: usize) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = range.start;
    for part in text[range].split('\n') {
        let end = start + part.len();
        let line = text[..start].rfind('\n').map_or(0, |at| at + 1)
            ..text[end..].find('\n').map_or(text.len(), |at| end + at);
        if !part.is_empty() && text[line].chars().nth(room).is_some() {
            parts.push(start..end);
        }
        start = end + 1;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use ananke_base::diagnostic::Code;

    #[test]
    fn a_long_line_is_masked_before_it_is_drawn() {
        let redactor = Redactor::default();
        redactor.add(["s3cr3t-value", "two\nlines"]);
        let text = format!(
            "a: s3cr3t-value\nb: s3cr3t-value {} here\ntwo\nlines {}\n",
            "x".repeat(50),
            "y".repeat(60)
        );
        let source = Arc::new(SourceFile::new("a.yaml", "a.yaml", &text));
        let at = text.find("here").unwrap();
        let problem = Diagnostic::error(Code::Syntax, "not s3cr3t-value").at(
            &source,
            Span::new(at, at + 4),
            "s3cr3t-value",
        );
        let masked = redactor.problems(&[problem], 40).remove(0);
        let source = masked.source.unwrap();
        let expected = format!(
            "a: s3cr3t-value\nb: *** {} here\ntwo\n*** {}\n",
            "x".repeat(50),
            "y".repeat(60)
        );
        assert_eq!(source.text, expected);
        let span = masked.labels[0].span;
        assert_eq!(&source.text[span.range()], "here");
        assert_eq!(
            (masked.message.as_str(), masked.labels[0].text.as_str()),
            ("not ***", "***")
        );
    }
}
