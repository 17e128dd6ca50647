//! Builds trees in the shape of YAML, whose parts keep the places of what they are made of.

use ananke_base::diagnostic::{Span, Spanned};
use ananke_base::source::{Entry, Node, NodeValue};
use ananke_model::model::Text;

/// A mapping that is being built.
#[derive(Debug)]
pub(super) struct MapBuilder {
    entries: Vec<Entry>,
    span: Span,
}

impl MapBuilder {
    /// An empty mapping at a place.
    pub(super) fn at(span: Span) -> Self {
        Self {
            entries: Vec::new(),
            span,
        }
    }

    /// Adds an entry, whose key is where its value is.
    pub(super) fn put(&mut self, key: &str, value: Node) {
        self.entries.push(Entry {
            key: key.to_owned(),
            key_span: value.span,
            value,
        });
    }

    /// Adds an entry if there is a value.
    pub(super) fn put_some(&mut self, key: &str, value: Option<Node>) {
        if let Some(value) = value {
            self.put(key, value);
        }
    }

    /// Adds a text if there is one.
    pub(super) fn put_text(&mut self, key: &str, value: Option<&Text>) {
        self.put_some(key, value.map(text));
    }

    /// Adds a list if it has entries.
    pub(super) fn put_list(&mut self, key: &str, items: Vec<Node>) {
        if !items.is_empty() {
            self.put(key, list(self.span, items));
        }
    }

    /// Adds a mapping if it has entries.
    pub(super) fn put_map(&mut self, key: &str, map: Self) {
        if !map.is_empty() {
            self.put(key, map.finish());
        }
    }

    /// Whether nothing was added.
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The place in the file.
    pub(super) fn span(&self) -> Span {
        self.span
    }

    pub(super) fn finish(self) -> Node {
        Node {
            value: NodeValue::Map(self.entries),
            span: self.span,
        }
    }
}

/// A text where it is written.
pub(super) fn text(written: &Text) -> Node {
    text_at(written.span, &written.value)
}

/// A text that is made of what is at a place.
pub(super) fn text_at(span: Span, value: &str) -> Node {
    Node {
        value: NodeValue::String(value.to_owned()),
        span,
    }
}

/// `true` or `false` where it is written.
pub(super) fn flag(written: &Spanned<bool>) -> Node {
    Node {
        value: NodeValue::Bool(written.value),
        span: written.span,
    }
}

/// `true` that is made of what is at a place.
pub(super) fn true_at(span: Span) -> Node {
    Node {
        value: NodeValue::Bool(true),
        span,
    }
}

/// `false` that is made of what is at a place.
pub(super) fn false_at(span: Span) -> Node {
    Node {
        value: NodeValue::Bool(false),
        span,
    }
}

/// A whole number that is made of what is at a place.
pub(super) fn number_at(span: Span, value: u64) -> Node {
    Node {
        value: NodeValue::Number(value.into()),
        span,
    }
}

/// A list that is made of what is at a place.
pub(super) fn list(span: Span, items: Vec<Node>) -> Node {
    Node {
        value: NodeValue::List(items),
        span,
    }
}

/// Writes every `${` in the values of a tree so that it is text: a case is data, in which nothing is replaced.
pub(super) fn escape_references(node: &mut Node) {
    match &mut node.value {
        NodeValue::String(text) if text.contains("${") => *text = text.replace("${", "$${"),
        NodeValue::List(items) => items.iter_mut().for_each(escape_references),
        NodeValue::Map(entries) => entries
            .iter_mut()
            .for_each(|entry| escape_references(&mut entry.value)),
        _ => {}
    }
}
