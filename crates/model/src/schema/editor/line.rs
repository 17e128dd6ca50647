//! A value as one line, which an editor inserts: its scalars are tab stops.

use serde_json::{Map, Value, json};

use super::editor_schema::Syntax;

/// The line that an editor inserts for a value, and the words by which it offers it. A `null` is a blank.
pub(super) fn snippet(value: &Value, syntax: Syntax) -> Value {
    let label = plain(value, syntax);
    let body = body(value, syntax);
    match syntax {
        // Without a type of its own, a text for a list would be taken apart.
        Syntax::Yaml => json!({ "label": label, "type": "string", "body": body }),
        Syntax::Json => json!({ "label": label, "body": body }),
    }
}

/// The text that is inserted, with tab stops.
pub(super) fn body(value: &Value, syntax: Syntax) -> Value {
    let text = Line {
        syntax,
        stops: Some(0),
    }
    .written(value);
    match (syntax, value) {
        // The text `true` would be inserted with quotes around it.
        (Syntax::Yaml, Value::Bool(_)) => value.clone(),
        (Syntax::Yaml, _) => text.into(),
        // What begins with `^` is inserted without quotes around it.
        (Syntax::Json, _) => format!("^{text}").into(),
    }
}

/// The line without tab stops.
pub(super) fn plain(value: &Value, syntax: Syntax) -> String {
    Line {
        syntax,
        stops: None,
    }
    .written(value)
}

struct Line {
    syntax: Syntax,
    /// The number of tab stops so far, if there are any.
    stops: Option<usize>,
}

impl Line {
    fn written(&mut self, value: &Value) -> String {
        match value {
            Value::Null => self.blank(),
            Value::String(text) if self.syntax == Syntax::Yaml && is_plain(text) => self.stop(text),
            Value::String(_) => {
                let quoted = value.to_string();
                let inner = quoted.get(1..quoted.len() - 1).unwrap_or_default();
                format!("\"{}\"", self.stop(inner))
            }
            Value::Bool(_) | Value::Number(_) => self.stop(&value.to_string()),
            Value::Array(items) => {
                let items: Vec<String> = items.iter().map(|item| self.written(item)).collect();
                format!("[{}]", items.join(", "))
            }
            Value::Object(entries) => self.mapping(entries),
        }
    }

    fn mapping(&mut self, entries: &Map<String, Value>) -> String {
        let mut written = Vec::new();
        for (key, value) in entries {
            let key = self.key(key);
            written.push(format!("{key}: {}", self.written(value)));
        }
        format!("{{ {} }}", written.join(", "))
    }

    fn key(&self, key: &str) -> String {
        if self.syntax == Syntax::Yaml && is_plain(key) {
            return key.to_owned();
        }
        let quoted = Value::from(key).to_string();
        match self.stops {
            Some(_) => escaped(&quoted),
            None => quoted,
        }
    }

    fn stop(&mut self, text: &str) -> String {
        let Some(count) = &mut self.stops else {
            return text.to_owned();
        };
        *count += 1;
        format!("${{{count}:{}}}", escaped(text))
    }

    fn blank(&mut self) -> String {
        let blank = match &mut self.stops {
            Some(count) => {
                *count += 1;
                format!("${{{count}}}")
            }
            None => "…".to_owned(),
        };
        match self.syntax {
            Syntax::Yaml => blank,
            Syntax::Json => format!("\"{blank}\""),
        }
    }
}

/// A text in which nothing has a meaning to an editor.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('$', "\\$")
        .replace('}', "\\}")
}

/// Whether YAML reads a text as that text without quotes, also between braces.
fn is_plain(text: &str) -> bool {
    let is_word =
        |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, ' ' | '_' | '-' | '.' | '/');
    let has_meaning = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    text.starts_with(|sign: char| sign.is_ascii_alphabetic())
        && text.chars().all(is_word)
        && !text.ends_with(' ')
        && !has_meaning.contains(&text.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_one_line_with_tab_stops() {
        let value = json!({
            "name": "pay", "args_match": { "items[0]": "^\\d{2}$" }, "count": 1, "not": "no", "of": [null, true],
        });
        let yaml = "{ name: ${1:pay}, args_match: { \"items[0]\": \"${2:^\\\\\\\\d{2\\}\\$}\" }, count: ${3:1}, not: \"${4:no}\", \
                    of: [${5}, ${6:true}] }";
        assert_eq!(body(&value, Syntax::Yaml), yaml);
        let label = "{ name: pay, args_match: { \"items[0]\": \"^\\\\d{2}$\" }, count: 1, not: \"no\", of: […, true] }";
        assert_eq!(plain(&value, Syntax::Yaml), label);
    }

    #[test]
    fn in_json_it_is_json() {
        let value = json!({ "use": "tests.simulator", "turns": 2, "id": null });
        let json = "^{ \"use\": \"${1:tests.simulator}\", \"turns\": ${2:2}, \"id\": \"${3}\" }";
        assert_eq!(body(&value, Syntax::Json), json);
    }

    #[test]
    fn a_boolean_alone_stays_one() {
        assert_eq!(body(&json!(true), Syntax::Yaml), true);
        assert_eq!(body(&json!("true"), Syntax::Yaml), "\"${1:true}\"");
    }
}
