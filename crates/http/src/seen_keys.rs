//! The keys that a response had, for the message about a path that found nothing. Never their values.

use serde_json::Value;

use super::event::ResponseEvent;
use ananke_base::source::printable;
use ananke_base::text::nearest;

/// The most names in a message.
const MOST_NAMES: usize = 20;

/// The most levels whose keys are named.
const DEPTH: usize = 6;

/// The most items of a list whose keys are named.
const MOST_ITEMS: usize = 20;

/// So many equal characters at the start make two names alike.
const SAME_START: usize = 4;

/// The keys by which kinds of events differ.
const KINDS: [&str; 4] = ["type", "event", "kind", "role"];

/// The keys of the events of a response, one entry for each kind of event.
#[derive(Debug, Default)]
pub(crate) struct SeenKeys {
    kinds: Vec<(String, Vec<String>)>,
}

impl SeenKeys {
    /// Adds the keys of an event to those of its kind.
    pub(crate) fn add(&mut self, event: &ResponseEvent) {
        let kind = kind_of(event);
        let mut position = 0;
        while position < self.kinds.len() && self.kinds[position].0 != kind {
            position += 1;
        }
        if position == self.kinds.len() {
            if position >= MOST_NAMES {
                return;
            }
            self.kinds.push((kind, Vec::new()));
        }
        let names = &mut self.kinds[position].1;
        add_names(&event.value, String::new(), DEPTH, names);
    }

    /// The keys in words, and the one that `path` may mean.
    pub(crate) fn words(&self, path: &str) -> String {
        let mut kinds = Vec::new();
        let mut names = Vec::new();
        for (kind, keys) in &self.kinds {
            let listed = listed(keys);
            kinds.push(if kind.is_empty() {
                listed
            } else {
                format!("{kind}: {listed}")
            });
            names.extend(keys.iter().map(String::as_str));
        }
        let words = format!("It has: {}", kinds.join("; "));
        let wanted = path.rsplit(['.', ']']).next().unwrap_or(path);
        match meant(wanted, &names) {
            Some(name) => format!("{words} (did you mean \"{name}\"?)"),
            None => words,
        }
    }
}

/// The name that is probably meant: one that differs by typos, or the only one that begins in the same way, as `reply` does for
/// `replies`.
fn meant<'n>(wanted: &str, names: &[&'n str]) -> Option<&'n str> {
    let others = names.iter().copied().filter(|name| *name != wanted);
    let others: Vec<&str> = others.collect();
    let near = nearest(wanted, others.iter().copied());
    if near.is_some() {
        return near;
    }
    let start = wanted.get(..SAME_START)?;
    let mut alike = others.into_iter().filter(|name| name.starts_with(start));
    let only = alike.next()?;
    if alike.next().is_some() {
        None
    } else {
        Some(only)
    }
}

/// The kind of an event: its name, and the value of the key by which events of the stream differ.
fn kind_of(event: &ResponseEvent) -> String {
    let mut kinds = Vec::new();
    if let Some(name) = &event.name
        && name != "message"
    {
        kinds.push(printable(name));
    }
    for key in KINDS {
        if let Some(Value::String(kind)) = event.value.get(key) {
            // Some servers write the name of an event into its data as well.
            let kind = printable(kind);
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
            break;
        }
    }
    kinds.join(" ")
}

/// The names of the keys of a value, with those in it: `tool_calls[*].tool`.
fn names_of(value: &Value) -> Vec<String> {
    let mut names = Vec::new();
    add_names(value, String::new(), DEPTH, &mut names);
    names
}

fn add_names(value: &Value, prefix: String, depth: usize, names: &mut Vec<String>) {
    if names.len() >= MOST_NAMES {
        return;
    }
    match value {
        Value::Object(keys) if depth > 0 && !keys.is_empty() => {
            for (key, value) in keys {
                let dot = if prefix.is_empty() { "" } else { "." };
                let name = format!("{prefix}{dot}{}", printable(key));
                add_names(value, name, depth - 1, names);
            }
        }
        // Items of a list often differ, and the one that is looked for need not be the first.
        Value::Array(items) if depth > 0 && items.first().is_some_and(Value::is_object) => {
            for item in items.iter().take(MOST_ITEMS) {
                add_names(item, format!("{prefix}[*]"), depth - 1, names);
            }
        }
        _ if prefix.is_empty() || names.contains(&prefix) => {}
        _ => names.push(prefix),
    }
}

/// The keys of an item in words.
pub(crate) fn key_list(item: &Value) -> String {
    listed(&names_of(item))
}

fn listed(names: &[String]) -> String {
    if names.is_empty() {
        "no keys (`$` is the event itself)".to_owned()
    } else {
        names.join(", ")
    }
}
