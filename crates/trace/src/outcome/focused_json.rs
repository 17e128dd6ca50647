//! JSON shortened to what a rule looks at: a value and the places that matter in it in, one line of text out.
//!
//! **Invariant:** every place that matters is in the line, with its key; the rest of the value is `…`. The line is bounded,
//! and a secret across a place where it is truncated is masked whole.

use std::fmt::Write as _;
use std::ops::Range;

use serde_json::Value;

use crate::redact::excerpt;

/// The most characters of one value.
const LONGEST_VALUE: usize = 80;

/// The length in bytes after which further entries are omitted from a value without a place that matters.
const BRIEF: usize = 100;

/// The most places of one value that are shown.
const MOST: usize = 10;

/// The text between a value that was found and the one that was expected.
pub const UNEQUAL: &str = " ≠ ";

/// The text that is shown if a value is missing.
pub(super) const MISSING: &str = "(missing)";

/// A place in a value, and what is expected there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonFocus {
    /// The keys and indexes that lead to it; none for the whole value.
    pub path: Vec<String>,
    /// The value expected there, if there is another one: `"express"`, `` a match of `^ex` ``.
    pub expected: Option<String>,
}

/// A value that differs, and what was expected: ranges of bytes in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FocusMark {
    /// The value that was found.
    pub actual: Range<usize>,
    /// The value that was expected.
    pub expected: Range<usize>,
}

/// JSON on one line, with the values that differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FocusedJson {
    /// The line.
    pub text: String,
    /// The values that differ, in order.
    pub marks: Vec<FocusMark>,
}

/// `value` with the places of `focus`; a short form of it if there are none.
pub fn focused(value: &Value, focus: &[JsonFocus]) -> FocusedJson {
    with_places(value, focus, 0)
}

/// The same with the entries around the places, as far as there is room for them.
pub fn surrounded(value: &Value, focus: &[JsonFocus]) -> FocusedJson {
    with_places(value, focus, 2 * BRIEF)
}

fn with_places(value: &Value, focus: &[JsonFocus], room: usize) -> FocusedJson {
    let places: Vec<FocusedPlace<'_>> = focus
        .iter()
        .take(MOST)
        .map(|JsonFocus { path, expected }| (path.as_slice(), expected.as_deref()))
        .collect();
    let mut line = FocusedJson::default();
    line.write(value, &places, room);
    line
}

/// A short form of `value`: its first entries, with long texts truncated.
pub fn brief(value: &Value) -> String {
    focused(value, &[]).text
}

/// The rest of a path, and the value expected at its end.
type FocusedPlace<'f> = (&'f [String], Option<&'f str>);

/// The places inside a value: each with the key or the index that leads to it.
struct PlacesInside<'f>(Vec<(&'f str, FocusedPlace<'f>)>);

impl<'f> PlacesInside<'f> {
    fn of(places: &[FocusedPlace<'f>]) -> Self {
        let inside = places.iter().filter_map(|(path, expected)| {
            let (key, rest) = path.split_first()?;
            Some((key.as_str(), (rest, *expected)))
        });
        Self(inside.collect())
    }

    fn at(&self, key: &str) -> Vec<FocusedPlace<'f>> {
        let at = self.0.iter().filter(|(own, _)| *own == key);
        at.map(|(_, place)| *place).collect()
    }
}

impl FocusedJson {
    /// `text` as it is, with what was expected instead of it.
    pub fn of_text(text: String, focus: &[JsonFocus]) -> Self {
        let mut line = Self {
            text,
            marks: Vec::new(),
        };
        for place in focus {
            line.differs_from(0, place.expected.as_deref());
        }
        line
    }

    /// Adds what was expected instead of the value that begins at the byte `from` and has just been written.
    fn differs(&mut self, from: usize, expected: &str) {
        let actual = from..self.text.len();
        self.text.push_str(UNEQUAL);
        let begin = self.text.len();
        self.text.push_str(expected);
        // Several rules can expect something of one value, which is written once.
        if let Some(last) = self.marks.last_mut()
            && last.actual.start == from
        {
            last.expected.end = self.text.len();
            return;
        }
        self.marks.push(FocusMark {
            actual,
            expected: begin..self.text.len(),
        });
    }

    /// Writes `value`; entries without a place are omitted once the line is longer than `room`.
    fn write(&mut self, value: &Value, places: &[FocusedPlace<'_>], room: usize) {
        let from = self.text.len();
        let inside = PlacesInside::of(places);
        match value {
            Value::Object(entries) if !inside.0.is_empty() => {
                let mut parts = Parts::new(self, '{', '}');
                for (key, value) in entries {
                    parts.focused(Some(key), value, &inside.at(key), room);
                }
                // What is missing and need not be there is nothing to see.
                for (key, (_, expected)) in &inside.0 {
                    if let Some(expected) = expected.filter(|_| !entries.contains_key(*key)) {
                        parts.entry(|line| {
                            line.key(key);
                            let from = line.text.len();
                            line.text.push_str(MISSING);
                            line.differs(from, expected);
                        });
                    }
                }
                parts.end();
            }
            Value::Array(items) if !inside.0.is_empty() => {
                let mut parts = Parts::new(self, '[', ']');
                for (index, value) in items.iter().enumerate() {
                    parts.focused(None, value, &inside.at(&index.to_string()), room);
                }
                parts.end();
            }
            other => {
                self.shorten(other, BRIEF);
                for (_, (_, expected)) in &inside.0 {
                    self.differs_from(from, *expected);
                }
            }
        }
        for (path, expected) in places {
            self.differs_from(from, expected.filter(|_| path.is_empty()));
        }
    }

    fn differs_from(&mut self, from: usize, expected: Option<&str>) {
        if let Some(expected) = expected {
            self.differs(from, expected);
        }
    }

    fn key(&mut self, key: &str) {
        let _ = write!(self.text, "{}: ", scalar(&Value::from(key)));
    }

    /// Writes `value` until the line has grown by `room` bytes; entries after that are omitted.
    fn shorten(&mut self, value: &Value, room: usize) {
        let end = self.text.len() + room;
        match value {
            Value::Object(entries) => {
                let mut parts = Parts::new(self, '{', '}');
                for (key, value) in entries {
                    if parts.line.text.len() >= end {
                        parts.leave_out();
                        break;
                    }
                    parts.entry(|line| {
                        line.key(key);
                        line.shorten(value, end.saturating_sub(line.text.len()));
                    });
                }
                parts.end();
            }
            Value::Array(items) => {
                let mut parts = Parts::new(self, '[', ']');
                for value in items {
                    if parts.line.text.len() >= end {
                        parts.leave_out();
                        break;
                    }
                    parts.entry(|line| line.shorten(value, end.saturating_sub(line.text.len())));
                }
                parts.end();
            }
            other => self.text.push_str(&scalar(other)),
        }
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
    line: &'l mut FocusedJson,
    close: char,
    is_first: bool,
    left_out: bool,
}

impl<'l> Parts<'l> {
    fn new(line: &'l mut FocusedJson, open: char, close: char) -> Self {
        line.text.push(open);
        Self {
            line,
            close,
            is_first: true,
            left_out: false,
        }
    }

    fn separate(&mut self) {
        if !std::mem::take(&mut self.is_first) {
            self.line.text.push_str(", ");
        }
    }

    /// An entry with these places; without one only as long as the line is not longer than `room`.
    fn focused(
        &mut self,
        key: Option<&str>,
        value: &Value,
        places: &[FocusedPlace<'_>],
        room: usize,
    ) {
        if places.is_empty() && self.line.text.len() >= room {
            return self.leave_out();
        }
        self.entry(|line| {
            if let Some(key) = key {
                line.key(key);
            }
            match places {
                [] => line.shorten(value, BRIEF),
                places => line.write(value, places, room),
            }
        });
    }

    fn entry(&mut self, write: impl FnOnce(&mut FocusedJson)) {
        self.left_out = false;
        self.separate();
        write(self.line);
    }

    /// One or more omitted entries in a row are one `…`.
    fn leave_out(&mut self) {
        if !std::mem::replace(&mut self.left_out, true) {
            self.separate();
            self.line.text.push('…');
        }
    }

    fn end(self) {
        self.line.text.push(self.close);
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
            expected: Some((*expected).to_owned()).filter(|expected| !expected.is_empty()),
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
            assert_eq!(focused(&order, &focus(places)).text, expected);
        }
        assert_eq!(
            focused(&json!([1]), &focus(&[("", "[2]")])).text,
            "[1] ≠ [2]"
        );
    }

    #[test]
    fn the_values_that_differ_are_marked() {
        let order = json!({"to": {"by": "a ≠ b"}, "n": [1, 2]});
        let places = focus(&[("to.by", "\"x\""), ("n", "3 entries"), ("tip", "1")]);
        let FocusedJson { text, marks } = focused(&order, &places);
        let found: Vec<(&str, &str)> = marks
            .into_iter()
            .map(|mark| (&text[mark.actual], &text[mark.expected]))
            .collect();
        let expected = [
            ("\"a ≠ b\"", "\"x\""),
            ("[1, 2]", "3 entries"),
            ("(missing)", "1"),
        ];
        assert_eq!(found, expected);
        // A value with several expectations is marked once.
        let FocusedJson { text, marks } = focused(&json!([7]), &focus(&[("0", "5"), ("0", "6")]));
        assert_eq!(text, "[7 ≠ 5 ≠ 6]");
        let found = marks
            .into_iter()
            .map(|mark| (&text[mark.actual], &text[mark.expected]));
        assert_eq!(found.collect::<Vec<_>>(), [("7", "5 ≠ 6")]);
    }

    #[test]
    fn what_is_around_a_place_is_there_as_far_as_there_is_room() {
        let cart = json!({"items": 3, "sum": 120});
        let shown = |value: &Value, places: &[(&str, &str)]| surrounded(value, &focus(places)).text;
        assert_eq!(
            shown(&cart, &[("items", "2")]),
            r#"{"items": 3 ≠ 2, "sum": 120}"#
        );
        assert_eq!(shown(&json!([1, 2]), &[("1", "3")]), "[1, 2 ≠ 3]");
        let mut many: Value = (0..1000)
            .map(|key| (format!("key-{key:04}"), json!("x".repeat(60))))
            .collect();
        many["zip"] = 1.into();
        let shown = shown(&many, &[("zip", "2")]);
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
                expected: None,
            })
            .collect();
        assert!(focused(&many, &focus).text.len() < 600);
    }
}
