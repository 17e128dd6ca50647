//! The text of a value in its file, and a form of it on one line.

use ananke_base::diagnostic::{SourceFile, Span};
use ananke_base::source::{Entry, Node, NodeValue};
use ananke_base::text::truncate;

/// The longest value that is repeated in a message, in bytes.
const LONGEST: usize = 200;

/// A value on one line, as the file writes it where that is possible; `None` if it is long or deep.
pub(super) fn as_flow(source: &SourceFile, node: &Node) -> Option<String> {
    let written = source.text.get(node.span.range()).unwrap_or_default();
    let text = match &node.value {
        NodeValue::Null => "null".to_owned(),
        NodeValue::Bool(value) => value.to_string(),
        NodeValue::Number(number) => number.to_string(),
        NodeValue::String(text) => {
            let is_quoted =
                written.len() > 1 && written.starts_with(['"', '\'']) && !written.contains('\n');
            let is_plain =
                written == text && !text.contains(['\n', ',', '[', ']', '{', '}', '#', ':', '`']);
            if is_quoted || is_plain {
                written.to_owned()
            } else {
                serde_json::to_string(text).ok()?
            }
        }
        NodeValue::List(items) => {
            let is_flat = |item: &Node| !matches!(item.value, NodeValue::List(_));
            let items: Option<Vec<String>> = items
                .iter()
                .map(|item| is_flat(item).then(|| as_flow(source, item))?)
                .collect();
            format!("[{}]", items?.join(", "))
        }
        NodeValue::Map(entries) => {
            let is_plain = |key: &str| {
                key.chars()
                    .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
            };
            let one = |entry: &Entry| {
                let is_flat =
                    !matches!(entry.value.value, NodeValue::Map(_)) && is_plain(&entry.key);
                Some(format!(
                    "{}: {}",
                    entry.key,
                    is_flat.then(|| as_flow(source, &entry.value))??
                ))
            };
            let entries: Option<Vec<String>> = entries.iter().map(one).collect();
            format!("{{ {} }}", entries?.join(", "))
        }
    };
    (text.len() <= LONGEST).then_some(text)
}

/// The first line of a text, shortened.
pub(super) fn first_line(text: &str) -> String {
    truncate::chars(text.lines().next().unwrap_or_default(), LONGEST).to_string()
}

/// All of a value in its file: of a list or mapping up to its closing bracket. `None` if it is written in an unusual way
/// (an alias, several lines) and better left alone.
pub(super) fn extent(source: &SourceFile, node: &Node) -> Option<Span> {
    let text = source.text.get(node.span.start as usize..)?;
    if !matches!(node.value, NodeValue::List(_) | NodeValue::Map(_)) {
        let written = source.text.get(node.span.range())?;
        return (!written.is_empty()
            && !written.starts_with(['*', '&', '!', '|', '>'])
            && !written.contains('\n'))
        .then_some(node.span);
    }
    if !text.starts_with(['[', '{']) {
        return None;
    }
    let mut depth = 0_usize;
    let mut quote = None;
    for (offset, character) in text.lines().next()?.char_indices() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            // What is escaped or like a comment is unusual.
            (_, '\\' | '#') => return None,
            (None, '"' | '\'') => quote = Some(character),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => {
                depth -= 1;
                if depth == 0 {
                    let start = node.span.start as usize;
                    return Some(Span::new(start, start + offset + 1));
                }
            }
            _ => {}
        }
    }
    None
}
