//! An assertion of a case file in its own words: the text of the assertion in, its type and its other fields out.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};

use ananke_base::diagnostic::SourceFile;
use ananke_base::source::{is_case_file, parse_json};

/// An assertion of a case, as it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseWords {
    /// Its type: `contains`, `tool_called`. An assertion without one, and `expected`, are `equals`.
    pub kind: String,
    /// All other fields; the value of `expected` is `value`.
    pub fields: Map<String, Value>,
}

impl CaseWords {
    /// The words of what is written in `file` as `written`; `None` if that is no case file.
    pub fn in_file(file: &str, written: &str) -> Option<Self> {
        is_case_file(Path::new(file)).then(|| Self::of(written))
    }

    /// The words of an assertion.
    pub fn of(written: &str) -> Self {
        let mut fields = match value(written) {
            Value::Object(fields) => fields,
            expected => Map::from_iter([("value".to_owned(), expected)]),
        };
        if let Some(expected) = fields.shift_remove("expected") {
            fields.insert("value".to_owned(), expected);
        }
        let kind = fields.shift_remove("type");
        let kind = kind.and_then(|kind| kind.as_str().map(str::to_owned));
        Self {
            kind: kind.unwrap_or_else(|| "equals".to_owned()),
            fields,
        }
    }
}

/// A part of a case as a value: `expected` with its key as an object, and what is truncated as text.
fn value(written: &str) -> Value {
    let read = |text: String| parse_json(&Arc::new(SourceFile::new("", "", text))).0;
    let node = read(written.to_owned()).or_else(|| read(format!("{{{written}}}")));
    node.map_or_else(|| Value::from(written), |node| node.to_json())
}
