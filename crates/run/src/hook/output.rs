//! From what a hook printed to variables.

use serde_json::{Map, Value};

use ananke_base::source::printable;
use ananke_model::variables::{is_name, is_reserved};
use ananke_trace::redact::{BESIDE, excerpt};

/// The reason that the output of a program cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum OutputError {
    /// No JSON, in the words of the parser; the output's start.
    NoJson(String, String),
    /// JSON, but something else than expected: what it is, and the output's start.
    Other(&'static str, String),
    /// Nothing, where something is expected.
    Nothing,
    /// A key that is not a valid variable name.
    BadName(String),
    /// A key that is ananke's own.
    Reserved(String),
}

/// The number of bytes of an output that are quoted.
const QUOTED: usize = 200;

/// The variables in `output`: one JSON object; nothing printed is none. Errors quote `shown`.
pub(super) fn variables(output: &[u8], shown: &[u8]) -> Result<Map<String, Value>, OutputError> {
    if output.trim_ascii().is_empty() {
        return Ok(Map::new());
    }
    let value = serde_json::from_slice(output)
        .map_err(|error| OutputError::NoJson(error.to_string(), start_of(shown)))?;
    match value {
        Value::Object(variables) => named(variables),
        other => Err(OutputError::Other(kind(&other), start_of(shown))),
    }
}

/// The kind of a value, in words.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Object(_) => "an object",
        Value::Null => "`null`",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
    }
}

fn named(variables: Map<String, Value>) -> Result<Map<String, Value>, OutputError> {
    for name in variables.keys() {
        if is_reserved(name) {
            return Err(OutputError::Reserved(printable(name)));
        }
        if !is_name(name) {
            return Err(OutputError::BadName(printable(name)));
        }
    }
    Ok(variables)
}

/// The start of `output` on one line, with line ends and other control characters escaped, and `…` if something follows.
pub(super) fn start_of(output: &[u8]) -> String {
    // Secrets are masked later. A secret across the end of the quoted part is only recognised as a whole, so `excerpt` gets more
    // text than it quotes.
    let output = output.trim_ascii();
    let text = String::from_utf8_lossy(&output[..output.len().min(QUOTED + BESIDE)]);
    let quoted_end = text.floor_char_boundary(QUOTED);

    // Escapes make the line longer than the text, so that the end of the quoted part has another place in the line.
    let mut line = String::with_capacity(text.len());
    let mut quoted_end_in_line = 0;
    for (at, character) in text.char_indices() {
        if at == quoted_end {
            quoted_end_in_line = line.len();
        }
        match character {
            // Quotes and backslashes stay, since JSON with escapes would be hard to read.
            '"' | '\'' | '\\' => line.push(character),
            _ => line.extend(character.escape_debug()),
        }
    }
    if quoted_end < text.len() {
        excerpt(&line, 0..quoted_end_in_line) + "…"
    } else {
        excerpt(&line, 0..line.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ananke_trace::redact::Redactor;
    use serde_json::json;

    #[test]
    fn an_object_keeps_its_types() {
        let variables = |output: &[u8]| variables(output, output);
        let given = variables(b" {\"A\": 1, \"B_2\": {\"c\": [true, null, 1.5]}, \"_\": \"x\"}\n");
        assert_eq!(
            given.map(Value::Object),
            Ok(json!({"A": 1, "B_2": {"c": [true, null, 1.5]}, "_": "x"}))
        );
        assert_eq!(variables(b""), Ok(Map::new()));
        assert_eq!(variables(b" \n"), Ok(Map::new()));
        assert_eq!(
            variables(b"{\"A\": 1, \"A\": 2}").map(Value::Object),
            Ok(json!({"A": 2}))
        );
    }

    #[test]
    fn anything_else_is_refused() {
        let variables = |output: &[u8]| variables(output, output);
        let start = |text: &str| text.to_owned();
        let error = |text: &str| text.to_owned();
        for (output, expected) in [
            (
                "hello",
                OutputError::NoJson(error("expected value at line 1 column 1"), start("hello")),
            ),
            (
                "{\"A\": 1}\n{\"B\": 2}",
                OutputError::NoJson(
                    error("trailing characters at line 2 column 1"),
                    start("{\"A\": 1}\\n{\"B\": 2}"),
                ),
            ),
            ("[1]", OutputError::Other("a list", start("[1]"))),
            ("null", OutputError::Other("`null`", start("null"))),
            ("\"x\"", OutputError::Other("a text", start("\"x\""))),
            ("1.5", OutputError::Other("a number", start("1.5"))),
            ("true", OutputError::Other("a truth value", start("true"))),
            ("{\"cart-id\": 1}", OutputError::BadName(start("cart-id"))),
            ("{\"\": 1}", OutputError::BadName(String::new())),
            ("{\"ENV\": 1}", OutputError::Reserved(start("ENV"))),
            (
                "{\"TEST_NAME\": 1}",
                OutputError::Reserved(start("TEST_NAME")),
            ),
        ] {
            assert_eq!(variables(output.as_bytes()), Err(expected), "{output}");
        }
        let deep = [vec![b'['; 1000], vec![b']'; 1000]].concat();
        assert!(matches!(variables(&deep), Err(OutputError::NoJson(..))));
        assert!(matches!(
            variables(b"\xff\xfe"),
            Err(OutputError::NoJson(..))
        ));
    }

    #[test]
    fn a_quotation_is_one_short_line() {
        assert_eq!(start_of(b"\x1b[31m\ta\"b"), "\\u{1b}[31m\\ta\"b");
        let long = format!("{}{}", "a".repeat(QUOTED - 1), "é".repeat(9));
        let start = Redactor::default()
            .text(&start_of(long.as_bytes()))
            .into_owned();
        assert_eq!(start, format!("{}…", "a".repeat(QUOTED - 1)));
    }
}
