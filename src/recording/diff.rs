//! Whether a request is still the one that was recorded, and where it is not.
//!
//! Ids differ from one conversation to the next and say nothing: where both sides have one, they are the same.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::text::truncate;

/// How many differences are reported.
const REPORTED: usize = 5;

/// How many characters of a value are shown.
const SHOWN: usize = 120;

/// Where `now` is another request than `recorded`, a line each; `None` where it is the same. `ids` are those that the
/// client drew when it was recorded, and now.
pub(super) fn difference(recorded: &str, now: &str, ids: &BTreeSet<String>) -> Option<Vec<String>> {
    if recorded == now {
        return None;
    }
    let mut found = FoundChange { lines: Vec::new(), more: 0, ids };
    match (serde_json::from_str(recorded), serde_json::from_str(now)) {
        (Ok(recorded), Ok(now)) => found.compare("", &recorded, &now),
        _ => found.tell(
            "",
            &format!("`{}`", truncate::chars(recorded, SHOWN)),
            &format!("`{}`", truncate::chars(now, SHOWN)),
        ),
    }
    let FoundChange { mut lines, more, .. } = found;
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
                    let path = join(path, key);
                    match now.get(key) {
                        Some(now) => self.compare(&path, value, now),
                        None => self.tell(&path, &shown(value), "nothing"),
                    }
                }
                for (key, value) in now.iter().filter(|(key, _)| !recorded.contains_key(*key)) {
                    self.tell(&join(path, key), "nothing", &shown(value));
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
            _ if recorded == now => {}
            _ => self.tell(path, &shown(recorded), &shown(now)),
        }
    }

    fn tell(&mut self, path: &str, recorded: &str, now: &str) {
        if self.lines.len() < REPORTED {
            let place = if path.is_empty() { String::new() } else { format!("`{path}`: ") };
            self.lines.push(format!("{place}recorded {recorded}, now {now}"));
        } else {
            self.more += 1;
        }
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
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
            (r#"{"a":1,"b":[{"id":"id-1"}]}"#, r#"{"b":[{"id":"id-2"}],"a":1}"#),
            ("no JSON", "no JSON"),
        ] {
            assert_eq!(differences(recorded, now), None);
        }
    }

    #[test]
    fn another_request_is_told_by_its_paths() {
        for (recorded, now, expected) in [
            (r#"{"a":{"b":[1,2]}}"#, r#"{"a":{"b":[1,3]}}"#, "`a.b[1]`: recorded `2`, now `3`"),
            (
                r#"{"a":1,"b":2}"#,
                r#"{"a":1,"c":3}"#,
                "`b`: recorded `2`, now nothing; `c`: recorded nothing, now `3`",
            ),
            ("[1]", "[1,2]", "`[1]`: recorded nothing, now `2`"),
            (r#"{"id":"id-1"}"#, r#"{"id":"other"}"#, "`id`: recorded `\"id-1\"`, now `\"other\"`"),
            ("no JSON", "{}", "recorded `no JSON`, now `{}`"),
        ] {
            assert_eq!(differences(recorded, now).as_deref(), Some(expected));
        }
        let many: Vec<u32> = (0..8).collect();
        let differences = differences("[]", &serde_json::json!(many).to_string()).unwrap();
        assert!(differences.ends_with("now `4`; and 3 more differences"), "{differences}");
        let long = super::difference("\"\"", &format!("{:?}", "é".repeat(500)), &BTreeSet::new()).unwrap();
        assert!(long[0].chars().count() < 160, "{long:?}");
    }
}
