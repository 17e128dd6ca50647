//! Keys that are duplicated in a mapping: a tree in, a problem for each out.

use std::collections::HashSet;
use std::sync::Arc;

use super::{Entry, Node, NodeValue, printable};
use crate::diagnostic::{Code, Diagnostic, SourceFile};

/// Reports every duplicate key of one mapping, with the place of the first.
pub(super) fn find_duplicates(
    source: &Arc<SourceFile>,
    node: &Node,
    diagnostics: &mut Vec<Diagnostic>,
) {
    match &node.value {
        NodeValue::List(items) => {
            for item in items {
                find_duplicates(source, item, diagnostics);
            }
        }
        NodeValue::Map(entries) => {
            let mut firsts: Vec<&Entry> = entries.iter().collect();
            firsts.sort_by(|a, b| (&a.key, a.key_span).cmp(&(&b.key, b.key_span)));
            for same in firsts.chunk_by(|a, b| a.key == b.key) {
                for (first, again) in same.iter().skip(1).map(|again| (same[0], again)) {
                    // Keys of an alias all stand where the alias stands, and are reported at its anchor.
                    if first.key_span != again.key_span {
                        let message = format!("the key `{}` is duplicated", printable(&again.key));
                        diagnostics.push(
                            Diagnostic::error(Code::DuplicateKey, message)
                                .at(source, again.key_span, "again here")
                                .at(source, first.key_span, "first here")
                                .help("keep one of them"),
                        );
                    }
                }
            }
            for entry in entries {
                find_duplicates(source, &entry.value, diagnostics);
            }
        }
        _ => {}
    }
}

/// The problem of a key that has a second name, when both are in one mapping: `again` and `known`.
pub fn same_key(source: &Arc<SourceFile>, again: &Entry, known: &str) -> Diagnostic {
    let message = format!("`{}` and `{known}` are the same key", printable(&again.key));
    Diagnostic::error(Code::DuplicateKey, message)
        .at(source, again.key_span, "")
        .help("keep one of them")
}

/// Leaves the first of the keys that are duplicated.
pub(super) fn keep_first(node: &mut Node) {
    match &mut node.value {
        NodeValue::List(items) => items.iter_mut().for_each(keep_first),
        NodeValue::Map(entries) => {
            let mut known = HashSet::new();
            entries.retain(|entry| known.insert(entry.key.clone()));
            for entry in entries {
                keep_first(&mut entry.value);
            }
        }
        _ => {}
    }
}
