//! The expected result of a tool, in which some texts are patterns.

use super::builder::{MapBuilder, text_at};
use super::lower::Lowering;
use ananke_base::diagnostic::{Code, Span};
use ananke_base::source::{Entry, Node, NodeValue};
use ananke_trace::trace::Path;

/// The beginning of a text that is a regular expression.
const PATTERN: &str = "regex:";

/// The patterns of an expected result.
pub(super) enum ResultPattern {
    /// There are none.
    None,
    /// The result as a whole matches.
    Whole(Node),
    /// Paths in the result, and the patterns of the values there.
    AtPaths(Node),
}

/// Parts an expected result into what the result contains and what its parts match; `None` if it is wrong.
pub(super) fn split_patterns(
    result: &Node,
    lowering: &mut Lowering<'_>,
) -> Option<(Option<Node>, ResultPattern)> {
    if let Some(pattern) = pattern(result) {
        return Some((None, ResultPattern::Whole(pattern)));
    }
    let mut patterns = MapBuilder::at(result.span);
    let mut found = Vec::new();
    let rest = without_patterns(result, &mut Vec::new(), &mut found);
    for (steps, pattern) in found {
        let text = Path::of_steps(&steps);
        // In older files there is no path to a key with a dot in it.
        if !lowering.has_quoted_names()
            && Path::parse(&text).is_ok_and(|path| path.has_quoted_name())
        {
            let message = format!("the pattern at `{text}` cannot be written as a path");
            let help = "a key with a dot or bracket cannot have a pattern in it before version 1.4; \
                        write its exact value";
            return lowering.refuse(Code::BadValue, pattern.span, &message, help);
        }
        patterns.put(&text, pattern);
    }
    if patterns.is_empty() {
        return Some((Some(rest), ResultPattern::None));
    }
    let has_values = !rest.entries().is_empty();
    Some((
        has_values.then_some(rest),
        ResultPattern::AtPaths(patterns.finish()),
    ))
}

/// The mapping without the patterns in it, which go to `found` with the keys that lead to them.
fn without_patterns(
    node: &Node,
    path: &mut Vec<String>,
    found: &mut Vec<(Vec<String>, Node)>,
) -> Node {
    let NodeValue::Map(entries) = &node.value else {
        return node.clone();
    };
    let mut kept = Vec::new();
    for Entry {
        key,
        key_span,
        value,
    } in entries
    {
        path.push(key.clone());
        if let Some(pattern) = pattern(value) {
            found.push((path.clone(), pattern));
        } else {
            let patterns = found.len();
            let inner = without_patterns(value, path, found);
            let is_left = found.len() == patterns || !inner.entries().is_empty();
            if is_left {
                kept.push(Entry {
                    key: key.clone(),
                    key_span: *key_span,
                    value: inner,
                });
            }
        }
        path.pop();
    }
    Node {
        value: NodeValue::Map(kept),
        span: node.span,
    }
}

/// The pattern that a text is, if it is one.
fn pattern(node: &Node) -> Option<Node> {
    let span = Span {
        start: node.span.start,
        end: node.span.end,
    };
    Some(text_at(span, node.as_str()?.strip_prefix(PATTERN)?))
}
