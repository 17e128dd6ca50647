//! Whether a request is still the one that was recorded, and where it is not.
//!
//! Ids differ from one conversation to the next and say nothing: where both sides have one, they are the same.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use ananke_base::text::truncate;
use ananke_trace::trace::{Path, is_same_json};

/// The number of differences that are reported.
const REPORTED: usize = 5;

/// The number of characters of a value that are shown.
const SHOWN: usize = 120;

/// The number of characters that are shown before the first that differs.
const SHOWN_BEFORE: usize = 30;

/// The differences between `now` and the request `recorded`, one line each; `None` if it is the same. `ids` are those
/// that the client drew when it was recorded, and now.
pub(super) fn difference(recorded: &str, now: &str, ids: &BTreeSet<String>) -> Option<Vec<String>> {
    if recorded == now {
        return None;
    }
    let mut found = FoundChange {
        lines: Vec::new(),
        more: 0,
        ids,
    };
    match (serde_json::from_str(recorded), serde_json::from_str(now)) {
        (Ok(recorded), Ok(now)) => found.compare("", &recorded, &now),
        _ => found.tell_texts("", recorded, now),
    }
    let FoundChange {
        mut lines, more, ..
    } = found;
    match more {
        0 => {}
        1 => lines.push("and 1 more difference".to_owned()),
        more => lines.push(format!("and {more} more differences")),
    }
    (!lines.is_empty()).then_some(lines)
}

struct FoundChange<'a> {
    lines: Vec<String>,
    more: usize,
    ids: &'a BTreeSet<String>,
}

impl FoundChange<'_> {
    fn compare(&mut self, path: &str, recorded: &Value, now: &Value) {
        match (recorded, now) {
            (Value::Object(recorded), Value::Object(now)) => {
                for (key, value) in recorded {
                    let path = Path::within(path, key);
                    match now.get(key) {
                        Some(now) => self.compare(&path, value, now),
                        None => self.tell(&path, &shown(value), "nothing"),
                    }
                }
                for (key, value) in now.iter().filter(|(key, _)| !recorded.contains_key(*key)) {
                    self.tell(&Path::within(path, key), "nothing", &shown(value));
                }
            }
            (Value::Array(recorded), Value::Array(now)) => {
                for index in 0..recorded.len().max(now.len()) {
                    let path = format!("{path}[{index}]");
                    match (recorded.get(index), now.get(index)) {
                        (Some(recorded), Some(now)) => self.compare(&path, recorded, now),
                        (Some(recorded), None) => self.tell(&path, &shown(recorded), "nothing"),
                        (None, Some(now)) => self.tell(&path, "nothing", &shown(now)),
                        (None, None) => {}
                    }
                }
            }
            (Value::String(recorded), Value::String(now))
                if self.ids.contains(recorded) && self.ids.contains(now) => {}
            _ if is_same_json(recorded, now) => {}
            (Value::String(recorded), Value::String(now)) => {
                match (nested(recorded), nested(now)) {
                    (Some(recorded), Some(now)) if !is_same_json(&recorded, &now) => {
                        self.compare(path, &recorded, &now);
                    }
                    _ => {
                        self.tell_texts(
                            path,
                            &json!(recorded).to_string(),
                            &json!(now).to_string(),
                        );
                    }
                }
            }
            _ => self.tell(path, &shown(recorded), &shown(now)),
        }
    }

    /// Two texts that differ, each from a little before the first difference.
    fn tell_texts(&mut self, path: &str, recorded: &str, now: &str) {
        let same = recorded
            .chars()
            .zip(now.chars())
            .take_while(|(recorded, now)| recorded == now)
            .count();
        let shown = |text: &str| match same
            .checked_sub(SHOWN_BEFORE)
            .and_then(|start| text.char_indices().nth(start))
        {
            Some((start, _)) if start > 0 => {
                format!("`…{}`", truncate::chars(&text[start..], SHOWN))
            }
            _ => format!("`{}`", truncate::chars(text, SHOWN)),
        };
        self.tell(path, &shown(recorded), &shown(now));
    }

    fn tell(&mut self, path: &str, recorded: &str, now: &str) {
        if self.lines.len() < REPORTED {
            let place = if path.is_empty() {
                String::new()
            } else {
                format!("`{path}`: ")
            };
            self.lines
                .push(format!("{place}recorded {recorded}, now {now}"));
        } else {
            self.more += 1;
        }
    }
}

/// The object or list that a text is, such as a question to a helper.
fn nested(text: &str) -> Option<Value> {
    if !text.starts_with(['{', '[']) {
        return None;
    }
    serde_json::from_str(text).ok()
}

fn shown(value: &Value) -> String {
    format!("`{}`", truncate::chars(&value.to_string(), SHOWN))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differences(recorded: &str, now: &str) -> Option<String> {
        let ids = ["id-1", "id-2"].map(str::to_owned).into();
        difference(recorded, now, &ids).map(|lines| lines.join("; "))
    }

    #[test]
    fn the_same_request_is_the_same_whatever_its_ids_and_order() {
        for (recorded, now) in [
            (r#"{"a":1}"#, r#"{"a":1}"#),
            (
                r#"{"a":1,"b":[{"id":"id-1"}]}"#,
                r#"{"b":[{"id":"id-2"}],"a":1}"#,
            ),
            ("no JSON", "no JSON"),
        ] {
            assert_eq!(differences(recorded, now), None);
        }
    }

    #[test]
    fn another_request_is_told_by_its_paths() {
        for (recorded, now, expected) in [
            (
                r#"{"a":{"b":[1,2]}}"#,
                r#"{"a":{"b":[1,3]}}"#,
                "`a.b[1]`: recorded `2`, now `3`",
            ),
            (
                r#"{"a":1,"b":2}"#,
                r#"{"a":1,"c":3}"#,
                "`b`: recorded `2`, now nothing; `c`: recorded nothing, now `3`",
            ),
            ("[1]", "[1,2]", "`[1]`: recorded nothing, now `2`"),
            (
                r#"{"id":"id-1"}"#,
                r#"{"id":"other"}"#,
                "`id`: recorded `\"id-1\"`, now `\"other\"`",
            ),
            (
                r#"{"a":"{ }"}"#,
                r#"{"a":"{}"}"#,
                r#"`a`: recorded `"{ }"`, now `"{}"`"#,
            ),
            ("no JSON", "{}", "recorded `no JSON`, now `{}`"),
            (
                r#"{"a":"{\"b\":1}"}"#,
                r#"{"a":"{\"b\":2}"}"#,
                "`a.b`: recorded `1`, now `2`",
            ),
        ] {
            assert_eq!(differences(recorded, now).as_deref(), Some(expected));
        }
        let [old, new] = ["old", "new"].map(|word| format!("{} {word}", "é".repeat(200)));
        let expected = format!("recorded `…{0} old`, now `…{0} new`", "é".repeat(29));
        assert_eq!(
            differences(&old, &new),
            Some(expected),
            "the difference is shown, not what comes before it"
        );
        let many: Vec<u32> = (0..8).collect();
        let differences = differences("[]", &serde_json::json!(many).to_string()).unwrap();
        assert!(
            differences.ends_with("now `4`; and 3 more differences"),
            "{differences}"
        );
        let long =
            super::difference("\"\"", &format!("{:?}", "é".repeat(500)), &BTreeSet::new()).unwrap();
        assert!(long[0].chars().count() < 160, "{long:?}");
    }
}
