//! Changes to a file that remove a problem.

use std::sync::Arc;

use super::{SourceFile, Span};

/// A change to a file: `text` replaces what is at `span`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The file as it was when the problem was found.
    pub source: Arc<SourceFile>,
    /// The text that is replaced.
    pub span: Span,
    /// The new text.
    pub text: String,
}

/// The text of `source` after those of `edits` that are of this file. If several edits overlap, only the first in the text is
/// applied; the problems of the others are found again in the new text.
pub fn apply<'e>(source: &SourceFile, edits: impl IntoIterator<Item = &'e Edit>) -> String {
    let mut edits: Vec<&Edit> = edits
        .into_iter()
        .filter(|edit| edit.source.path == source.path)
        .collect();
    edits.sort_by_key(|edit| edit.span);
    let mut text = String::with_capacity(source.text.len());
    let mut done = 0;
    for Edit {
        span, text: new, ..
    } in edits
    {
        let (start, end) = (span.start as usize, span.end as usize);
        if start < done || end < start {
            continue;
        }
        let Some(kept) = source
            .text
            .get(done..start)
            .filter(|_| source.text.is_char_boundary(end))
        else {
            continue;
        };
        text.push_str(kept);
        text.push_str(new);
        done = end;
    }
    text.push_str(source.text.get(done..).unwrap_or_default());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(text: &str, edits: &[(usize, usize, &str)]) -> String {
        let source = Arc::new(SourceFile::new("a.yaml", "a.yaml", text));
        let edit = |&(start, end, text): &(usize, usize, &str)| Edit {
            source: Arc::clone(&source),
            span: Span::new(start, end),
            text: text.to_owned(),
        };
        let edits: Vec<Edit> = edits.iter().map(edit).collect();
        apply(&source, &edits)
    }

    #[test]
    fn edits_are_applied_in_the_order_of_the_text() {
        assert_eq!(
            applied("nmae: x\nturn: y\n", &[(8, 12, "turns"), (0, 4, "name")]),
            "name: x\nturns: y\n"
        );
        assert_eq!(applied("abc", &[]), "abc");
        assert_eq!(applied("abc", &[(1, 1, "-"), (3, 3, "!")]), "a-bc!");
    }

    #[test]
    fn of_edits_that_overlap_or_are_impossible_none_harms() {
        assert_eq!(
            applied("abcdef", &[(0, 3, "x"), (2, 5, "y"), (0, 3, "x")]),
            "xdef"
        );
        assert_eq!(applied("é", &[(1, 2, "x")]), "é");
        assert_eq!(applied("é", &[(0, 1, "x")]), "é");
        assert_eq!(applied("a", &[(5, 9, "x")]), "a");
    }

    #[test]
    fn an_edit_of_another_file_is_none_of_this_one() {
        let source = SourceFile::new("a", "a", "a");
        let other = Arc::new(SourceFile::new("b", "b", "a"));
        assert_eq!(
            apply(
                &source,
                &[Edit {
                    source: other,
                    span: Span::new(0, 1),
                    text: "b".to_owned()
                }]
            ),
            "a"
        );
    }
}
