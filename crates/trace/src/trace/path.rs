//! Paths into JSON values: `user.name`, `items.0.id`, `items[0].id`, `$.a`, and `$` for the whole value.

use serde_json::Value;

/// A path into a JSON value: an exact key, else its parts between dots and `[n]` (SPEC 7.2).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Path {
    text: String,
    parts: Vec<String>,
}

impl Path {
    /// Reads a path.
    ///
    /// # Errors
    /// If a part is empty, or a `[` has no number and `]`; the text says which.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        if text == "$" {
            return Ok(Self {
                text: text.to_owned(),
                parts,
            });
        }
        let way = text
            .strip_prefix('$')
            .filter(|rest| rest.starts_with(['.', '[']))
            .unwrap_or(text);
        let way = way.strip_prefix('.').unwrap_or(way);
        for (index, dotted) in way.split('.').enumerate() {
            let (key, indexes) = dotted.split_at(dotted.find('[').unwrap_or(dotted.len()));
            if key.is_empty() && (indexes.is_empty() || index > 0) {
                return Err(format!("the path `{text}` has an empty part"));
            }
            if !key.is_empty() {
                parts.push(key.to_owned());
            }
            let mut rest = indexes;
            while let Some(open) = rest.strip_prefix('[') {
                let number = open.split_once(']').filter(|(number, _)| is_index(number));
                let Some((number, after)) = number else {
                    return Err(format!(
                        "the path `{text}` has a `[` without a number and `]`"
                    ));
                };
                parts.push(number.to_owned());
                rest = after;
            }
            if !rest.is_empty() {
                return Err(format!("the path `{text}` goes on after `]` without a dot"));
            }
        }
        Ok(Self {
            text: text.to_owned(),
            parts,
        })
    }

    /// Whether it is `$`.
    pub fn is_whole(&self) -> bool {
        self.parts.is_empty()
    }

    /// The path as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Its parts.
    pub fn parts(&self) -> &[String] {
        &self.parts
    }

    /// The part of a value that this path reaches: the parts found as text, the value there, and the first part not in it.
    pub fn reach<'p, 'v>(&'p self, value: &'v Value) -> (String, &'v Value, Option<&'p str>) {
        let (mut way, mut reached) = (String::new(), value);
        for part in &self.parts {
            let Some(next) = step(reached, part) else {
                return (way, reached, Some(part));
            };
            if !way.is_empty() {
                way.push('.');
            }
            way.push_str(part);
            reached = next;
        }
        (way, reached, None)
    }

    /// The mapping or list that the value at this path is in, one level above it: its own path, and the key or index in it;
    /// `None` if nothing is at this path, or it is the whole value.
    pub fn parent<'p, 'v>(&'p self, value: &'v Value) -> Option<(String, &'v Value, &'p str)> {
        if value.get(&self.text).is_some() {
            return Some((String::new(), value, &self.text));
        }
        let (last, before) = self.parts.split_last()?;
        let parent = before
            .iter()
            .try_fold(value, |inner, part| step(inner, part))?;
        step(parent, last)?;
        Some((before.join("."), parent, last))
    }

    /// The value at this path.
    pub fn find<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        if let Some(exact) = value.get(&self.text) {
            return Some(exact);
        }
        self.parts
            .iter()
            .try_fold(value, |inner, part| step(inner, part))
    }
}

fn step<'v>(value: &'v Value, part: &str) -> Option<&'v Value> {
    match value {
        Value::Object(map) => map.get(part),
        Value::Array(items) if is_index(part) => items.get(part.parse::<usize>().ok()?),
        _ => None,
    }
}

fn is_index(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_parent_is_one_level_above() {
        let value = json!({"a.b": 1, "cart": {"items": [7, 8]}});
        let parent = |path: &str| {
            let path = Path::parse(path).unwrap();
            path.parent(&value)
                .map(|(way, parent, key)| format!("{way}|{parent}|{key}"))
        };
        for (path, expected) in [
            ("cart.items[1]", Some("cart.items|[7,8]|1")),
            ("cart.items", Some("cart|{\"items\":[7,8]}|items")),
            ("a.b", Some("|{\"a.b\":1,\"cart\":{\"items\":[7,8]}}|a.b")),
            ("cart.total", None),
            ("$", None),
        ] {
            assert_eq!(parent(path).as_deref(), expected, "{path}");
        }
    }

    #[test]
    fn finds_values() {
        let value = json!({"user": {"name": "Ada"}, "items": [{"id": 7}, [1, 2]], "a.b": 1, "a": {"b": 2, "0": 3}});
        let find = |path: &str| Path::parse(path).unwrap().find(&value).cloned();
        assert_eq!(find("user.name"), Some(json!("Ada")));
        assert_eq!(find("$.user.name"), Some(json!("Ada")));
        assert_eq!(find("items.0.id"), Some(json!(7)));
        assert_eq!(find("items[0].id"), Some(json!(7)));
        assert_eq!(find("items[1][0]"), Some(json!(1)));
        assert_eq!(find("a.b"), Some(json!(1)), "the exact name comes first");
        assert_eq!(find("a.0"), Some(json!(3)));
        assert_eq!(find("items.2"), None);
        assert_eq!(find("user.name.x"), None);
        assert_eq!(
            Path::parse("[0].id").unwrap().find(&json!([{"id": 1}])),
            Some(&json!(1))
        );
        assert_eq!(
            Path::parse("$[0]").unwrap().find(&json!([5])),
            Some(&json!(5))
        );
        assert_eq!(
            Path::parse("$").unwrap().find(&json!([5])),
            Some(&json!([5]))
        );
        assert_eq!(
            Path::parse("$ref").unwrap().find(&json!({"$ref": 5})),
            Some(&json!(5))
        );
    }

    #[test]
    fn refuses_what_is_no_path() {
        for path in ["", "a..b", "a.", ".", "a[", "a[x]", "a[0", "a[0]b", "a.[0]"] {
            assert!(Path::parse(path).is_err(), "{path}");
        }
    }
}
