//! For programs such as editors: one JSON object per problem, with its places and fixes.

use serde_json::{Value, json};

use super::super::{diagnostic::Diagnostic, source_file::SourceFile, span::Span};
use super::human::word;

/// One problem as JSON: `severity`, `code`, `message`, `labels` and `fixes` with their places, and `help`. Places are given
/// as byte offsets, and as lines and columns counted from 1, columns in characters; the end of a place is excluded.
pub fn json(diagnostic: &Diagnostic) -> Value {
    let Diagnostic {
        code,
        severity,
        message,
        source,
        labels,
        help,
        fixes,
    } = diagnostic;
    let labels = labels.iter().map(|label| {
        let mut shown = place(&label.source, label.span);
        shown["text"] = json!(label.text);
        shown
    });
    let fixes = fixes.iter().map(|edit| {
        let mut shown = place(&edit.source, edit.span);
        shown["text"] = json!(edit.text);
        shown
    });
    json!({
        "severity": word(*severity),
        "code": code.as_str(),
        "message": message,
        "file": source.as_ref().map(|source| &*source.name),
        "labels": labels.collect::<Vec<_>>(),
        "help": help,
        "fixes": fixes.collect::<Vec<_>>(),
    })
}

fn place(source: &SourceFile, span: Span) -> Value {
    let [start, end] = [span.start, span.end].map(|offset| {
        source.place(Span {
            start: offset,
            end: offset,
        })
    });
    json!({
        "file": &*source.name,
        "start": { "offset": span.start, "line": start.line, "column": start.column },
        "end": { "offset": span.end, "line": end.line, "column": end.column },
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::super::code::Code;
    use super::*;

    #[test]
    fn places_and_fixes_are_complete() {
        let source = Arc::new(SourceFile::new(
            "a.test.yaml",
            "a.test.yaml",
            "ä: 1\nnmae: x\n",
        ));
        let span = Span::new(6, 10);
        let problem = Diagnostic::error(Code::UnknownKey, "unknown key `nmae`")
            .at(&source, span, "")
            .help("did you mean `name`?")
            .fix(&source, span, "name");
        let place = |text: &str| {
            json!({
                "file": "a.test.yaml", "text": text,
                "start": { "offset": 6, "line": 2, "column": 1 }, "end": { "offset": 10, "line": 2, "column": 5 },
            })
        };
        let expected = json!({
            "severity": "error", "code": "unknown-key", "message": "unknown key `nmae`", "file": "a.test.yaml",
            "labels": [place("")], "help": ["did you mean `name`?"], "fixes": [place("name")],
        });
        assert_eq!(json(&problem), expected);
    }
}
