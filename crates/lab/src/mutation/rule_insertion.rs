//! Writes a rule into the text of a test, next to the rules that are there. Comments and style stay as they are.
//!
//! **Invariant:** the new text says what the old one says, and the rule; otherwise there is none.

use serde_json::{Map, Value};

use ananke_base::context::Context;
use ananke_base::source::{self, Node, NodeValue};
use ananke_plan::TestEntry;
use ananke_trace::outcome::mutation::MutationLevel;

/// The text of the file of `entry` with the rule, and the line at which it was inserted.
pub(super) fn inserted(
    context: &Context,
    entry: &TestEntry,
    level: MutationLevel,
    block: &Value,
) -> Option<(String, u32)> {
    if entry.part.is_some() {
        return None;
    }
    let source = source::read(&context.files, &entry.path, &entry.file).ok()?;
    let root = source::parse(&source).ok()?;
    let place = place(&root, entry, level)?;
    let rule = Value::Object(Map::from_iter([("assert".to_owned(), block.clone())]));
    let edits = [InsertionSide::After, InsertionSide::Before]
        .map(|side| edit(&source.text, place, &rule, side));
    edits.into_iter().flatten().find_map(|(at, end, text)| {
        let new = format!(
            "{}{text}{}",
            source.text.get(..at)?,
            source.text.get(end..)?
        );
        let shown = std::sync::Arc::new(ananke_base::diagnostic::SourceFile::new(
            &*entry.file,
            &entry.path,
            &*new,
        ));
        let tree = source::parse(&shown).ok()?;
        let [old, new_place] = [place.to_json(), self::place(&tree, entry, level)?.to_json()];
        let is_right = [InsertionSide::After, InsertionSide::Before]
            .iter()
            .any(|side| merged(&old, &rule, *side) == new_place);
        let others = without(&root, entry, level) == without(&tree, entry, level);
        let line = new[..at].matches('\n').count() + 1 + usize::from(text.starts_with('\n'));
        (is_right && others).then(|| (new, u32::try_from(line).unwrap_or(u32::MAX)))
    })
}

/// The text with this version, if it says an older one.
pub(super) fn raised(text: &str, entry: &TestEntry, version: &str) -> Option<String> {
    let shown = std::sync::Arc::new(ananke_base::diagnostic::SourceFile::new(
        &*entry.file,
        &entry.path,
        text,
    ));
    let tree = source::parse(&shown).ok()?;
    let node = tree.get("version")?;
    let (start, end) = (node.span.start as usize, node.span.end as usize);
    let is_other = matches!(&node.value, NodeValue::String(written) if written != version);
    is_other.then(|| {
        Some(format!(
            "{}\"{version}\"{}",
            text.get(..start)?,
            text.get(end..)?
        ))
    })?
}

/// On which side of what is there something new is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum InsertionSide {
    Before,
    After,
}

/// The test or the turn that gets the rule.
fn place<'n>(root: &'n Node, entry: &TestEntry, level: MutationLevel) -> Option<&'n Node> {
    let test = match root.get("tests") {
        Some(tests) => tests.items().get(entry.index)?,
        None => root,
    };
    match level {
        MutationLevel::Test => Some(test),
        MutationLevel::Turn(turn) => test.get("turns")?.items().get(turn),
    }
}

/// The whole file without that place.
fn without(root: &Node, entry: &TestEntry, level: MutationLevel) -> Option<Value> {
    let mut root = root.clone();
    let test = match root.get("tests") {
        Some(_) => match &mut root.get_mut("tests")?.value {
            NodeValue::List(tests) => tests.get_mut(entry.index)?,
            _ => return None,
        },
        None => &mut root,
    };
    match level {
        MutationLevel::Test => drop(test.remove("assert")),
        MutationLevel::Turn(turn) => match &mut test.get_mut("turns")?.value {
            NodeValue::List(turns) => drop(turns.get_mut(turn)?.remove("assert")),
            _ => return None,
        },
    }
    Some(root.to_json())
}

/// The values together: mappings are merged, lists joined, and a text becomes a list.
fn merged(old: &Value, new: &Value, side: InsertionSide) -> Value {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            let mut all = old.clone();
            for (key, value) in new {
                let value = old
                    .get(key)
                    .map_or_else(|| value.clone(), |old| merged(old, value, side));
                all.insert(key.clone(), value);
            }
            Value::Object(all)
        }
        (Value::Array(old), Value::Array(new)) => {
            let [first, second] = if side == InsertionSide::After {
                [old, new]
            } else {
                [new, old]
            };
            first.iter().chain(second).cloned().collect()
        }
        (old, Value::Array(new)) => [std::slice::from_ref(old), new].concat().into(),
        (_, new) => new.clone(),
    }
}

/// The replaced part of `text` and the replacement, so that `node` also contains `new`.
fn edit(
    text: &str,
    node: &Node,
    new: &Value,
    side: InsertionSide,
) -> Option<(usize, usize, String)> {
    let start = node.span.start as usize;
    match (&node.value, new) {
        (NodeValue::Map(entries), Value::Object(new)) => {
            let (key, value) = new.iter().next()?;
            if let Some(old) = node.get(key) {
                return edit(text, old, value, side);
            }
            let written = format!("{}: {}", key, flow(value));
            let first = entries.first()?.key_span.start as usize;
            if text.get(start..)?.starts_with('{') {
                return Some((first, first, format!("{written}, ")));
            }
            let indentation = " ".repeat(column(text, first));
            let before = || (first, first, format!("{written}\n{indentation}"));
            let after = |end| (end, end, format!("\n{indentation}{written}"));
            if side == InsertionSide::Before {
                Some(before())
            } else {
                line_end(text, node).map(after)
            }
        }
        (NodeValue::List(items), Value::Array(new)) => {
            let item = flow(new.first()?);
            if text.get(start..)?.starts_with('[') {
                let comma = if items.is_empty() { "" } else { ", " };
                return Some((start + 1, start + 1, format!("{item}{comma}")));
            }
            let first = items.first()?.span.start as usize;
            let dash = text.get(..first)?.rfind('-')?;
            let indentation = " ".repeat(column(text, dash));
            let before = || (dash, dash, format!("- {item}\n{indentation}"));
            let after = |end| (end, end, format!("\n{indentation}- {item}"));
            if side == InsertionSide::Before {
                Some(before())
            } else {
                line_end(text, node).map(after)
            }
        }
        (NodeValue::String(_), Value::Array(new)) => {
            let end = node.span.end as usize;
            Some((
                start,
                end,
                format!("[{}, {}]", text.get(start..end)?, flow(new.first()?)),
            ))
        }
        _ => None,
    }
}

/// The end of the last line of a block.
fn line_end(text: &str, node: &Node) -> Option<usize> {
    let last = last_of(node);
    let end = text
        .get(last..)?
        .find('\n')
        .map_or(text.len(), |length| last + length);
    Some(end)
}

fn last_of(node: &Node) -> usize {
    let own = (node.span.end as usize)
        .saturating_sub(1)
        .max(node.span.start as usize);
    match &node.value {
        NodeValue::Map(entries) => entries
            .iter()
            .map(|entry| last_of(&entry.value).max(entry.key_span.start as usize))
            .max()
            .unwrap_or(own),
        NodeValue::List(items) => items.iter().map(last_of).max().unwrap_or(own),
        _ => own,
    }
}

fn column(text: &str, at: usize) -> usize {
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    text[line..at].chars().count()
}

/// A value on one line, as YAML.
fn flow(value: &Value) -> String {
    match value {
        Value::Object(map) if !map.is_empty() => {
            let entries: Vec<String> = map
                .iter()
                .map(|(key, value)| format!("{}: {}", flow_key(key), flow(value)))
                .collect();
            format!("{{ {} }}", entries.join(", "))
        }
        Value::Array(items) => format!(
            "[{}]",
            items.iter().map(flow).collect::<Vec<_>>().join(", ")
        ),
        value => value.to_string(),
    }
}

fn flow_key(key: &str) -> String {
    let is_plain = key.starts_with(|first: char| first.is_ascii_lowercase())
        && key
            .chars()
            .all(|character| character.is_ascii_alphanumeric() || character == '_')
        && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(&key);
    if is_plain {
        key.to_owned()
    } else {
        Value::from(key).to_string()
    }
}
