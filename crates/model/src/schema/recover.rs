//! The rest of a file that does not fit its schema: values that do not fit are replaced or omitted, so that the rest can be
//! checked in the same run.
//!
//! The result is never run. Problems are reported only for nodes that the recovery did not touch: a leaf is not wrong
//! because of what was removed elsewhere, nor is a mapping of which nothing was removed, but a count without its number is.

use std::collections::HashSet;
use std::sync::Arc;

use super::check::{CheckedTree, check};
use super::{FileKind, promptfoo::is_promptfoo, version};
use crate::model::File;
use ananke_base::diagnostic::{Code, Diagnostic, Severity, SourceFile, Span};
use ananke_base::source::{self, Node, NodeValue, TypeMismatch};

/// The readable part of a broken file.
pub struct Recovered<T> {
    /// The value, made up where the file does not fit.
    pub value: T,
    /// The places of what was changed.
    changed: HashSet<Span>,
    /// The values directly in a mapping in which something was made up, however deep.
    near: HashSet<Span>,
}

/// Reads what fits the model; `None` where the text is no tree, is of another runner, or nothing of it fits.
pub fn recover<T: File>(kind: FileKind, source: &Arc<SourceFile>) -> Option<Recovered<T>> {
    let mut written = source::tree(source).0?;
    if is_promptfoo(&written) {
        return None;
    }
    version::spell(source, &mut written);
    if let Ok(version) = version::of(source, &written, None) {
        source.set_version((version.major, version.minor));
    }
    recover_tree(kind, source, &written).0
}

/// The same for a text that was read already, with every problem of it.
pub fn recover_tree<T: File>(
    kind: FileKind,
    source: &Arc<SourceFile>,
    written: &Node,
) -> (Option<Recovered<T>>, Vec<Diagnostic>) {
    let CheckedTree {
        mut problems,
        repairs,
    } = check(kind, source, written, None);
    let (mut repaired, mut changed) = repairs.apply(written);
    if repairs.rename_keys() {
        let again = check(kind, source, &repaired, None);
        problems.extend(again.problems);
        let (tree, places) = again.repairs.apply(&repaired);
        repaired = tree;
        changed.extend(places);
    }
    match T::read(&repaired) {
        Ok(value) => {
            let mut near = HashSet::new();
            collect_near(written, &changed, &mut near);
            (
                Some(Recovered {
                    value,
                    changed,
                    near,
                }),
                problems,
            )
        }
        Err(TypeMismatch { message, span }) => {
            if problems
                .iter()
                .all(|problem| problem.severity == Severity::Warning)
            {
                problems.push(Diagnostic::error(Code::WrongType, message).at(source, span, ""));
            }
            (None, problems)
        }
    }
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
            && problem
                .labels
                .iter()
                .all(|label| !self.changed.contains(&label.span) && is_whole(&label.span))
    }
}

/// Collects what stands near a changed place; answers whether one is in `node`.
fn collect_near(node: &Node, changed: &HashSet<Span>, near: &mut HashSet<Span>) -> bool {
    let mut is_touched = changed.contains(&node.span);
    match &node.value {
        NodeValue::Map(entries) => {
            for entry in entries {
                is_touched |= changed.contains(&entry.key_span);
                is_touched |= collect_near(&entry.value, changed, near);
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
                is_touched |= collect_near(item, changed, near);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::TestFile;

    fn read(text: &str) -> Option<Recovered<TestFile>> {
        recover(
            FileKind::Test,
            &Arc::new(SourceFile::new("a.test.yaml", "a.test.yaml", text)),
        )
    }

    #[test]
    fn keeps_what_fits_and_makes_up_the_rest() {
        let text = "version: 1.0\nnmae: x\nturns:\n  - usr: a\n    assert: { text: { must_match: [b, 5] } }\n  - 7\n";
        let recovered = read(text).expect("something fits");
        let [alone] = recovered.value.tests.as_slice() else {
            panic!("one test")
        };
        let turn = &alone.turns.as_ref().expect("turns")[0].value;
        let block = turn
            .settings
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
        let recovered =
            read("version: \"1.0\"\nname: x\nturns: [{ user: a }]\n").expect("all of it fits");
        assert!(recovered.changed.is_empty());
    }

    #[test]
    fn nothing_is_made_of_nothing() {
        assert!(read("[").is_none(), "no tree");
        assert!(read("").is_none(), "empty");
        let _ = read("- 1\n- 2\n");
    }
}
