//! Keys of a target as lines of YAML, with comments before them.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use ananke_base::source::{Node, to_yaml};
use ananke_base::text::escape;

/// Lines of YAML after an indent.
#[derive(Debug)]
pub(super) struct CommentedKeys {
    text: String,
    indent: usize,
}

impl CommentedKeys {
    /// No lines yet.
    pub(super) fn new(indent: usize) -> Self {
        Self {
            text: String::new(),
            indent,
        }
    }

    /// Adds a comment of one line.
    pub(super) fn comment(&mut self, words: &str) {
        let indent = " ".repeat(self.indent);
        // Names of the agent may be in it, which must not end the comment.
        let words = escape::line(words);
        let _infallible = writeln!(self.text, "{indent}# {words}");
    }

    /// Adds a key.
    pub(super) fn add(&mut self, key: &str, value: Value) {
        let keys = Map::from_iter([(key.to_owned(), value)]);
        let node = Node::of_json(&Value::Object(keys));
        self.text.push_str(&to_yaml(&node, self.indent));
    }

    /// Adds a key whose keys `write` adds.
    pub(super) fn nested(&mut self, key: &str, write: impl FnOnce(&mut Self)) {
        let indent = " ".repeat(self.indent);
        let _infallible = writeln!(self.text, "{indent}{key}:");
        self.indent += 2;
        write(self);
        self.indent -= 2;
    }

    /// The lines.
    pub(super) fn into_text(self) -> String {
        self.text
    }
}
