//! JSON shortened to what a rule looks at: a value and the places that matter in it in, one line of text out.
//!
//! **Invariant:** every place that matters is in the line, with its key; the rest of the value is `…`. The line is bounded,
//! and a secret across a place where it is truncated is masked whole.

use std::fmt::Write as _;

use serde_json::Value;

use ananke_trace::redact::excerpt;

/// The most characters of one value.
const LONGEST_VALUE: usize = 80;

/// How long a value without a place that matters gets before its further entries are omitted, in bytes.
const BRIEF: usize = 100;

/// The most places of one value that are shown.
const MOST: usize = 10;

/// A place in a value, and what is wrong there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JsonFocus {
    /// The keys and indexes that lead to it; none for the whole value.
    pub(crate) path: Vec<String>,
    /// What follows the value: `` ≠ `"express"` ``. Empty if nothing is wrong there.
    pub(crate) note: String,
}

/// What follows a value that is not the expected one.
pub(crate) fn not(expected: &str) -> String {
    format!(" ≠ {expected}")
}

/// `value` with the places of `focus`; a short form of it if there are none.
pub(crate) fn focused(value: &Value, focus: &[JsonFocus]) -> String {
    with_places(value, focus, 0)
}

/// The same with the entries around the places, as far as there is room for them.
pub(crate) fn surrounded(value: &Value, focus: &[JsonFocus]) -> String {
    with_places(value, focus, 2 * BRIEF)
}

fn with_places(value: &Value, focus: &[JsonFocus], room: usize) -> String {
    let places: Vec<(&[String], &str)> = focus
        .iter()
        .take(MOST)
        .map(|JsonFocus { path, note }| (path.as_slice(), note.as_str()))
        .collect();
    let mut line = String::new();
    write(&mut line, value, &places, room);
    line
}

/// A short form of `value`: its first entries, with long texts truncated.
pub(crate) fn brief(value: &Value) -> String {
    focused(value, &[])
}

/// Writes `value`; entries without a place are omitted once the line is longer than `room`.
fn write(line: &mut String, value: &Value, places: &[(&[String], &str)], room: usize) {
    let deeper: Vec<(&str, (&[String], &str))> = places
        .iter()
        .filter_map(|(path, note)| {
            path.split_first()
                .map(|(key, rest)| (key.as_str(), (rest, *note)))
        })
        .collect();
    match value {
        Value::Object(entries) if !deeper.is_empty() => {
            let own = |key: &str| -> Vec<(&[String], &str)> {
                deeper
                    .iter()
                    .filter(|(own, _)| *own == key)
                    .map(|(_, place)| *place)
                    .collect()
            };
            let mut parts = Parts::new(line, '{', '}');
            for (key, value) in entries {
                match own(key).as_slice() {
                    [] if parts.line.len() < room => parts.entry(|line| {
                        let _ = write!(line, "{}: ", scalar(&Value::from(key.as_str())));
                        shorten(line, value, BRIEF);
                    }),
                    [] => parts.leave_out(),
                    places => parts.entry(|line| {
                        let _ = write!(line, "{}: ", scalar(&Value::from(key.as_str())));
                        write(line, value, places, room);
                    }),
                }
            }
            // What is missing and need not be there is nothing to see.
            let missing = deeper
                .iter()
                .filter(|(key, (_, note))| !note.is_empty() && !entries.contains_key(*key));
            for (key, (_, note)) in missing {
                parts.entry(|line| {
                    let _ = write!(line, "{}: (missing){note}", scalar(&Value::from(*key)));
                });
            }
            parts.end();
        }
        Value::Array(items) if !deeper.is_empty() => {
            let mut parts = Parts::new(line, '[', ']');
            for (index, value) in items.iter().enumerate() {
                let index = index.to_string();
                let own: Vec<_> = deeper
                    .iter()
                    .filter(|(own, _)| *own == index)
                    .map(|(_, place)| *place)
                    .collect();
                if own.is_empty() && parts.line.len() >= room {
                    parts.leave_out();
                } else if own.is_empty() {
                    parts.entry(|line| shorten(line, value, BRIEF));
                } else {
                    parts.entry(|line| write(line, value, &own, room));
                }
            }
            parts.end();
        }
        other => {
            shorten(line, other, BRIEF);
            for (_, (_, note)) in &deeper {
                line.push_str(note);
            }
        }
    }
    let own = places.iter().filter(|(path, _)| path.is_empty());
    own.for_each(|(_, note)| line.push_str(note));
}

/// Writes `value` until the line has grown by `room` bytes; entries after that are omitted.
fn shorten(line: &mut String, value: &Value, room: usize) {
    let end = line.len() + room;
    match value {
        Value::Object(entries) => {
            let mut parts = Parts::new(line, '{', '}');
            for (key, value) in entries {
                if parts.line.len() >= end {
                    parts.leave_out();
                    break;
                }
                parts.entry(|line| {
                    let _ = write!(line, "{}: ", scalar(&Value::from(key.as_str())));
                    shorten(line, value, end.saturating_sub(line.len()));
                });
            }
            parts.end();
        }
        Value::Array(items) => {
            let mut parts = Parts::new(line, '[', ']');
            for value in items {
                if parts.line.len() >= end {
                    parts.leave_out();
                    break;
                }
                parts.entry(|line| shorten(line, value, end.saturating_sub(line.len())));
            }
            parts.end();
        }
        other => line.push_str(&scalar(other)),
    }
}

/// A value without entries, truncated to what fits a line.
fn scalar(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(LONGEST_VALUE) {
        Some((end, _)) => excerpt(&text, 0..end) + "…",
        None => text,
    }
}

/// The entries of a mapping or a list, with `…` for those that are omitted.
struct Parts<'l> {
    line: &'l mut String,
    close: char,
    is_first: bool,
    left_out: bool,
}

impl<'l> Parts<'l> {
    fn new(line: &'l mut String, open: char, close: char) -> Self {
        line.push(open);
        Self {
            line,
            close,
            is_first: true,
            left_out: false,
        }
    }

    fn separate(&mut self) {
        if !std::mem::take(&mut self.is_first) {
            self.line.push_str(", ");
        }
    }

    fn entry(&mut self, write: impl FnOnce(&mut String)) {
        self.left_out = false;
        self.separate();
        write(self.line);
    }

    /// One or more omitted entries in a row are one `…`.
    fn leave_out(&mut self) {
        if !std::mem::replace(&mut self.left_out, true) {
            self.separate();
            self.line.push('…');
        }
    }

    fn end(self) {
        self.line.push(self.close);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn focus(places: &[(&str, &str)]) -> Vec<JsonFocus> {
        let place = |(path, expected): &(&str, &str)| JsonFocus {
            path: path
                .split('.')
                .filter(|part| !part.is_empty())
                .map(str::to_owned)
                .collect(),
            note: if expected.is_empty() {
                String::new()
            } else {
                not(expected)
            },
        };
        places.iter().map(place).collect()
    }

    #[test]
    fn what_a_rule_looks_at_is_shown_with_its_keys() {
        let order = json!({
            "cart": ["a", "b", "c"],
            "shipping": {"address": "x".repeat(500), "method": "standard", "note": null},
            "total": 9,
        });
        for (places, expected) in [
            (
                &[("shipping.method", "\"express\"")][..],
                r#"{…, "shipping": {…, "method": "standard" ≠ "express", …}, …}"#,
            ),
            (&[("total", "")], r#"{…, "total": 9}"#),
            (
                &[("cart.1", "\"x\""), ("total", "8")],
                r#"{"cart": […, "b" ≠ "x", …], …, "total": 9 ≠ 8}"#,
            ),
            (
                &[("tip.of", "1"), ("tip", ""), ("total", "")],
                r#"{…, "total": 9, "tip": (missing) ≠ 1}"#,
            ),
            (&[("total.of", "1")], r#"{…, "total": 9 ≠ 1}"#),
            (
                &[("cart", "2 entries")],
                r#"{"cart": ["a", "b", "c"] ≠ 2 entries, …}"#,
            ),
        ] {
            assert_eq!(focused(&order, &focus(places)), expected);
        }
        assert_eq!(focused(&json!([1]), &focus(&[("", "[2]")])), "[1] ≠ [2]");
    }

    #[test]
    fn what_is_around_a_place_is_there_as_far_as_there_is_room() {
        let cart = json!({"items": 3, "sum": 120});
        assert_eq!(
            surrounded(&cart, &focus(&[("items", "2")])),
            r#"{"items": 3 ≠ 2, "sum": 120}"#
        );
        assert_eq!(
            surrounded(&json!([1, 2]), &focus(&[("1", "3")])),
            "[1, 2 ≠ 3]"
        );
        let mut many: Value = (0..1000)
            .map(|key| (format!("key-{key:04}"), json!("x".repeat(60))))
            .collect();
        many["zip"] = 1.into();
        let shown = surrounded(&many, &focus(&[("zip", "2")]));
        assert!(shown.ends_with(r#", …, "zip": 1 ≠ 2}"#), "{shown}");
        assert!(shown.len() < 500, "{shown}");
    }

    #[test]
    fn a_value_without_places_is_short_and_keeps_its_first_keys() {
        assert_eq!(
            brief(&json!({"a": 1, "b": [true, null]})),
            r#"{"a": 1, "b": [true, null]}"#
        );
        let many: Value = (0..1000)
            .map(|key| (format!("key-{key:04}"), json!("x".repeat(30))))
            .collect();
        let short = brief(&many);
        assert!(
            short.starts_with(r#"{"key-0000": "xxx"#) && short.ends_with(", …}"),
            "{short}"
        );
        assert!(short.len() < 250, "{short}");
        let focus: Vec<JsonFocus> = (0..1000)
            .map(|key| JsonFocus {
                path: vec![format!("key-{key:04}")],
                note: String::new(),
            })
            .collect();
        assert!(focused(&many, &focus).len() < 600);
    }
}
