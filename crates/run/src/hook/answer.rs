//! From what a script printed to its answer: JSON of a shape that the asker knows.

use serde_json::Value;

use super::output::{OutputError, kind, start_of};
use ananke_base::source::received_json;
use ananke_rules::ScriptSource;
use ananke_trace::process::Launch;

/// The output that a program is to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Variables: one JSON object.
    Variables,
    /// The verdict on what the agent did: `true`, `false` or `{pass, message}`.
    Verdict,
    /// The answer of a tool: `{result}` or `{error}`.
    ToolAnswer,
    /// Test cases: a list, or an object that has them.
    Cases,
    /// The next input of the user: a text, or `{input, goal_achieved}`.
    UserInput,
}

impl Expected {
    /// The name of the output, in words.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Variables => "one JSON object",
            Self::Verdict => "`true`, `false` or `{\"pass\": …, \"message\": …}`",
            Self::ToolAnswer => "`{\"result\": …}` or `{\"error\": \"…\"}`",
            Self::Cases => "`{\"cases\": […]}`",
            Self::UserInput => "a text, or `{\"input\": \"…\", \"goal_achieved\": …}`",
        }
    }

    /// The remedy if a program prints something else than is expected of it.
    pub(super) fn help(self) -> String {
        match self {
            // A hook answers no question: it gives variables, and may also print nothing.
            Self::Variables => {
                "print the variables as one JSON object, and everything else to stderr".to_owned()
            }
            Self::Verdict | Self::ToolAnswer | Self::Cases | Self::UserInput => {
                format!(
                    "answer with {}, and print everything else to stderr",
                    self.words()
                )
            }
        }
    }

    /// The form of an invalid answer, in words that follow "printed": "an object without `pass`". `None` if the form is the
    /// expected one.
    pub fn mismatch(self, answer: &Value) -> Option<&'static str> {
        // Some answers have a short form that is no object.
        let Value::Object(fields) = answer else {
            let is_short_form = match self {
                Self::Verdict => answer.is_boolean(),
                Self::Cases => answer.is_array(),
                Self::UserInput => answer.is_string(),
                Self::Variables | Self::ToolAnswer => false,
            };
            return if is_short_form {
                None
            } else {
                Some(kind(answer))
            };
        };
        match self {
            // The readers of these objects check the content, and report the key that is wrong.
            Self::Variables | Self::Cases | Self::UserInput => None,
            Self::Verdict => match fields.get("pass") {
                Some(Value::Bool(_)) => match fields.get("message") {
                    None | Some(Value::Null | Value::String(_)) => None,
                    Some(_) => Some("an object whose `message` is not a text"),
                },
                Some(_) => Some("an object whose `pass` is neither `true` nor `false`"),
                None => Some("an object without `pass`"),
            },
            // A tool either has a result, which may be any value, or fails with a text.
            Self::ToolAnswer => match fields.get("error") {
                Some(_) if fields.contains_key("result") => {
                    Some("an object with both `result` and `error`")
                }
                Some(Value::String(_)) => None,
                Some(_) => Some("an object whose `error` is not a text"),
                None if fields.contains_key("result") => None,
                None => Some("an object with neither `result` nor `error`"),
            },
        }
    }

    /// The answer that a script printed as `output`.
    ///
    /// # Errors
    /// If there is no answer, or one of another form. The error has the start of the output.
    pub(super) fn read(self, output: &[u8]) -> Result<Value, OutputError> {
        if output.trim_ascii().is_empty() {
            return Err(OutputError::Nothing);
        }
        let answer = match serde_json::from_slice(output) {
            Ok(answer) => answer,
            // The next input of a user may be plain text, also one that begins like JSON. Any text is valid here.
            Err(_) if self == Self::UserInput => {
                return match str::from_utf8(output) {
                    Ok(text) => Ok(Value::from(text.trim())),
                    Err(error) => Err(OutputError::NoJson(error.to_string(), start_of(output))),
                };
            }
            Err(error) => return Err(OutputError::NoJson(error.to_string(), start_of(output))),
        };
        if let Some(mismatch) = self.mismatch(&answer) {
            return Err(OutputError::Other(mismatch, start_of(output)));
        }
        // The parser keeps the last of duplicate keys. For a decision that is not safe: a script may copy text of the agent into
        // its answer, and the agent could add a second `pass` with it.
        if self.is_ambiguous(output) {
            let mismatch = "an object with duplicate keys";
            return Err(OutputError::Other(mismatch, start_of(output)));
        }
        Ok(answer)
    }

    /// Duplicate keys give a decision two meanings: what a script quotes may add a key.
    fn is_ambiguous(self, output: &[u8]) -> bool {
        match self {
            Self::Verdict | Self::UserInput => match received_json::read_bytes(output) {
                Ok(read) => !read.other_values.is_empty(),
                Err(_) => true,
            },
            Self::Variables | Self::ToolAnswer | Self::Cases => false,
        }
    }
}

/// A request to a script: which script, what it gets, and which answer it must give.
#[derive(Clone, Copy, Debug)]
pub struct ScriptRequest<'a> {
    /// The script as messages name it.
    pub program: &'a ScriptSource,
    /// The command that starts it.
    pub launch: &'a Launch,
    /// The JSON that it gets on its stdin.
    pub body: &'a Value,
    /// The form of its answer.
    pub expected: Expected,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn answers_have_the_shape_that_is_asked_for() {
        use Expected::{ToolAnswer, Verdict};
        for (expected, answer) in [
            (Verdict, json!(true)),
            (Verdict, json!(false)),
            (Verdict, json!({"pass": true})),
            (
                Verdict,
                json!({"pass": false, "message": "no", "score": 0.2}),
            ),
            (Verdict, json!({"pass": true, "message": null})),
            (ToolAnswer, json!({"result": null})),
            (ToolAnswer, json!({"result": [1], "took": 3})),
            (ToolAnswer, json!({"error": "no such city"})),
        ] {
            assert_eq!(expected.read(answer.to_string().as_bytes()), Ok(answer));
        }
    }

    #[test]
    fn what_a_user_says_may_be_plain_text() {
        let read = |output: &str| Expected::UserInput.read(output.as_bytes());
        for text in [
            "Hello",
            "My name: Bob",
            "```json\n{\"input\": \"Hi\"}\n```",
            "{not JSON",
        ] {
            assert_eq!(read(&format!("{text}\n")), Ok(json!(text)), "{text}");
        }
        assert_eq!(read("\"Hi\""), Ok(json!("Hi")));
        assert_eq!(read("{\"input\": \"Hi\"}"), Ok(json!({"input": "Hi"})));
        assert_eq!(read(" \n"), Err(OutputError::Nothing));
        assert!(Expected::UserInput.read(b"\xff").is_err());
        assert!(matches!(read("[1]"), Err(OutputError::Other("a list", _))));
    }

    #[test]
    fn anything_else_is_no_answer() {
        use Expected::{ToolAnswer, Verdict};
        assert_eq!(Verdict.read(b" \n"), Err(OutputError::Nothing));
        assert!(matches!(Verdict.read(b"yes"), Err(OutputError::NoJson(..))));
        assert!(matches!(
            Verdict.read(b"true\nfalse"),
            Err(OutputError::NoJson(..))
        ));
        for output in [
            r#"{"pass": false, "message": "x", "pass": true, "y": ""}"#,
            r#"{"pass": true, "message": "a", "message": "b"}"#,
        ] {
            let what = "an object with duplicate keys";
            assert_eq!(
                Verdict.read(output.as_bytes()),
                Err(OutputError::Other(what, output.to_owned()))
            );
        }
        for (expected, answer, what) in [
            (Verdict, json!("true"), "a text"),
            (Verdict, json!(1), "a number"),
            (Verdict, json!(null), "`null`"),
            (Verdict, json!({"passed": true}), "an object without `pass`"),
            (
                Verdict,
                json!({"pass": "yes"}),
                "an object whose `pass` is neither `true` nor `false`",
            ),
            (
                Verdict,
                json!({"pass": true, "message": 1}),
                "an object whose `message` is not a text",
            ),
            (ToolAnswer, json!(true), "a truth value"),
            (ToolAnswer, json!([]), "a list"),
            (
                ToolAnswer,
                json!({}),
                "an object with neither `result` nor `error`",
            ),
            (
                ToolAnswer,
                json!({"error": 1}),
                "an object whose `error` is not a text",
            ),
            (
                ToolAnswer,
                json!({"error": "a", "result": 1}),
                "an object with both `result` and `error`",
            ),
        ] {
            let text = answer.to_string();
            assert_eq!(
                expected.read(text.as_bytes()),
                Err(OutputError::Other(what, text))
            );
        }
    }
}
