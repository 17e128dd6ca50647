//! What can still be read of a file that does not fit its schema: values that do not fit are replaced or left out, so that
//! the rest of the file can be checked in the same run.
//!
//! The result is never run. Problems are reported only for nodes that the recovery did not touch: a leaf is not wrong
//! because of what was removed elsewhere, nor is a mapping of which nothing was removed, but a count without its number is.

use std::collections::HashSet;
use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, Severity, SourceFile, Span};
use crate::model::File;
use crate::source::{self, Entry, Node, NodeValue};

/// The most values that are replaced in one file. A file with more of them has enough problems to report.
const MOST_MENDED: usize = 256;

/// The readable part of a broken file.
pub struct Recovered<T> {
    /// The value, made up where the file does not fit.
    pub value: T,
    mended: Vec<Span>,
    /// What stands directly in a mapping in which something was made up, however deep.
    near: HashSet<Span>,
}

/// Reads what fits the model; `None` where the text is no tree, or nothing of it fits.
pub fn recover<T: File>(source: &Arc<SourceFile>) -> Option<Recovered<T>> {
    let written = source::tree(source).0?;
    let mut node = written.clone();
    let mut mended = Vec::new();
    while mended.len() < MOST_MENDED {
        let mismatch = match T::read(&node) {
            Ok(value) => {
                let mut near = HashSet::new();
                collect_near(&written, &mended, &mut near);
                return Some(Recovered { value, mended, near });
            }
            Err(mismatch) => mismatch,
        };
        let found = match mismatch.missing {
            Some(key) => add(&mut node, mismatch.span, key),
            None => mend(&mut node, mismatch.span) != Mended::NotHere,
        };
        if !found {
            return None;
        }
        mended.push(mismatch.span);
    }
    None
}

impl<T> Recovered<T> {
    /// Whether a problem of the value is one of the file.
    pub fn is_of_the_file(&self, problem: &Diagnostic) -> bool {
        let of_a_leaf = matches!(
            problem.code,
            Code::BadPattern
                | Code::BadReference
                | Code::BadUrl
                | Code::LimitExceeded
                | Code::UndefinedVariable
                | Code::Unreadable
        );
        let is_whole = |span: &Span| of_a_leaf || !self.near.contains(span);
        problem.severity == Severity::Error
            && problem.labels.iter().all(|label| !self.mended.contains(&label.span) && is_whole(&label.span))
    }
}

/// Collects what stands near a mended place; answers whether one is in `node`.
fn collect_near(node: &Node, mended: &[Span], near: &mut HashSet<Span>) -> bool {
    let mut is_touched = mended.contains(&node.span);
    match &node.value {
        NodeValue::Map(entries) => {
            for entry in entries {
                is_touched |= mended.contains(&entry.key_span);
                is_touched |= collect_near(&entry.value, mended, near);
            }
            if is_touched {
                near.insert(node.span);
                for entry in entries {
                    near.insert(entry.key_span);
                    collect_leaves(&entry.value, near);
                }
            }
        }
        NodeValue::List(items) => {
            for item in items {
                is_touched |= collect_near(item, mended, near);
            }
        }
        _ => {}
    }
    is_touched
}

/// The value itself, or the items of a list; a mapping among them is for itself.
fn collect_leaves(node: &Node, near: &mut HashSet<Span>) {
    match &node.value {
        NodeValue::Map(_) => {}
        NodeValue::List(items) => items.iter().for_each(|item| collect_leaves(item, near)),
        _ => {
            near.insert(node.span);
        }
    }
}

/// What became of a misfit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mended {
    /// It does not stand in this part of the tree.
    NotHere,
    /// Something else stands in its place.
    Replaced,
    /// Nothing fits in its place: it has to go.
    Useless,
}

/// Replaces what stands at `span`, innermost first, by the next thing that may fit there: an empty text, an empty list,
/// an empty mapping, nothing.
fn mend(node: &mut Node, span: Span) -> Mended {
    match &mut node.value {
        NodeValue::Map(entries) => {
            if let Some(index) = entries.iter().rposition(|entry| entry.key_span == span) {
                entries.remove(index);
                return Mended::Replaced;
            }
            if let Some(found) = among(entries, |entry| &mut entry.value, span) {
                return found;
            }
        }
        NodeValue::List(items) => {
            if let Some(found) = among(items, |item| item, span) {
                return found;
            }
        }
        _ => {}
    }
    if node.span != span {
        return Mended::NotHere;
    }
    node.value = match &node.value {
        NodeValue::String(text) if text.is_empty() => NodeValue::List(Vec::new()),
        NodeValue::List(items) if items.is_empty() => NodeValue::Map(Vec::new()),
        NodeValue::Map(entries) if entries.is_empty() => return Mended::Useless,
        _ => NodeValue::String(String::new()),
    };
    Mended::Replaced
}

fn among<I>(items: &mut Vec<I>, node: impl Fn(&mut I) -> &mut Node, span: Span) -> Option<Mended> {
    for index in 0..items.len() {
        match mend(node(&mut items[index]), span) {
            Mended::NotHere => {}
            Mended::Replaced => return Some(Mended::Replaced),
            Mended::Useless => {
                items.remove(index);
                return Some(Mended::Replaced);
            }
        }
    }
    None
}

/// Gives the outermost mapping at `span` that lacks it the key it needs. Answers whether there is one.
fn add(node: &mut Node, span: Span, key: &str) -> bool {
    let lacks = node.get(key).is_none();
    match &mut node.value {
        NodeValue::Map(entries) if node.span == span && lacks => {
            let value = Node { value: NodeValue::String(String::new()), span };
            entries.push(Entry { key: key.to_owned(), key_span: span, value });
            true
        }
        NodeValue::Map(entries) => entries.iter_mut().any(|entry| add(&mut entry.value, span, key)),
        NodeValue::List(items) => items.iter_mut().any(|item| add(item, span, key)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{TestFile, Turn};

    fn read(text: &str) -> Option<Recovered<TestFile>> {
        recover(&Arc::new(SourceFile::new("a.test.yaml", "a.test.yaml", text)))
    }

    #[test]
    fn keeps_what_fits_and_makes_up_the_rest() {
        let text = "version: 1.0\nnmae: x\nturns:\n  - usr: a\n    assert: { text: { must_match: [b, 5] } }\n  - 7\n";
        let recovered = read(text).expect("something fits");
        let [alone] = recovered.value.tests.as_slice() else { panic!("one test") };
        let Turn::User(turn) = &alone.turns.as_ref().expect("turns")[0].value else { panic!("a user turn") };
        let block = turn
            .assert
            .as_ref()
            .and_then(|block| block.text.as_ref()?.value.on())
            .expect("the block is kept");
        let patterns = block.must_match.as_ref().and_then(|list| list.value.on());
        assert_eq!(patterns.map(|list| list.0.len()), Some(2));
        assert_eq!(alone.turns.as_ref().map(Vec::len), Some(2));
    }

    #[test]
    fn a_whole_file_is_itself() {
        let recovered = read("version: \"1.0\"\nname: x\nturns: [{ user: a }]\n").expect("all of it fits");
        assert!(recovered.mended.is_empty());
    }

    #[test]
    fn nothing_is_made_of_nothing() {
        assert!(read("[").is_none(), "no tree");
        assert!(read("").is_none(), "empty");
        let _ = read("- 1\n- 2\n");
    }
}
