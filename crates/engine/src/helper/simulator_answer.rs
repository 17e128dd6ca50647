//! From what a simulator says to what the user says next.

use serde_json::Value;

use super::answer_object::AnswerObject;
use super::answer_text::{fenced, shown};
use super::json_values::{JsonValue, json_values};

/// The longest answer that is read, in bytes.
const LONGEST: usize = 64 << 10;

/// The keys of which one makes an object an answer.
const KEYS: [&str; 3] = ["input", "message", "goal_achieved"];

/// What a simulator answers (SPEC 8).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SimulatorAnswer {
    /// What the user says next; empty if the user says nothing more.
    pub input: String,
    /// Whether the user has what they want.
    pub is_goal_achieved: bool,
    /// Why, in the simulator's words.
    pub reasoning: Option<String>,
}

/// The answer in what a simulator says: a JSON object, alone, fenced or in prose; any other text is what the user says.
///
/// # Errors
/// If it cannot be read; the words after `the simulator answered with` say what there is instead.
pub fn read_simulator_answer(text: &str) -> Result<SimulatorAnswer, String> {
    if text.trim().is_empty() {
        return Err("nothing".to_owned());
    }
    if text.len() > LONGEST {
        return Err(format!(
            "{} bytes, of which at most {LONGEST} are read",
            text.len()
        ));
    }
    let Ok(values) = json_values(text) else {
        // A user may say what begins like JSON; an answer that is cut is none.
        let is_answer = KEYS.iter().any(|key| text.contains(&format!("\"{key}\"")));
        return if is_answer {
            Err(format!("JSON that is not valid: {}", shown(text)))
        } else {
            Ok(said(text))
        };
    };
    let mut answers = Vec::new();
    for (_, value) in &values {
        if let JsonValue::Object(entries) = value
            && entries.iter().any(|(key, _)| KEYS.contains(&key.as_str()))
        {
            answers.push(of_object(entries)?);
        }
    }
    answers.dedup();
    match (answers.pop(), answers.len()) {
        (Some(answer), 0) => Ok(answer),
        (Some(_), _) => Err(format!(
            "answers that contradict each other: {}",
            shown(text)
        )),
        (None, _) if is_json_alone(text) => Err(format!(
            "JSON without `input`, `message` or `goal_achieved`: {}",
            shown(text)
        )),
        (None, _) => Ok(said(text)),
    }
}

/// The same of the JSON that a script prints: an object, or a text.
///
/// # Errors
/// If it is neither, or an object without the keys of an answer.
pub fn read_simulator_value(value: &Value) -> Result<SimulatorAnswer, String> {
    match value {
        Value::String(text) if !text.trim().is_empty() => Ok(said(text)),
        Value::Object(fields) if fields.keys().any(|key| KEYS.contains(&key.as_str())) => {
            let entries: Vec<(String, Value)> = fields
                .iter()
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect();
            of_object(&entries)
        }
        other => Err(shown(&other.to_string())),
    }
}

fn said(text: &str) -> SimulatorAnswer {
    SimulatorAnswer {
        input: text.trim().to_owned(),
        ..SimulatorAnswer::default()
    }
}

/// Whether a text is JSON and nothing else, apart from a fence around it.
fn is_json_alone(text: &str) -> bool {
    let text = text.trim();
    let inner = fenced(text).unwrap_or(text);
    serde_json::from_str::<Value>(inner.trim())
        .is_ok_and(|value| value.is_object() || value.is_array())
}

fn of_object(entries: &[(String, Value)]) -> Result<SimulatorAnswer, String> {
    let object = AnswerObject(entries);
    let is_goal_achieved = match object.value("goal_achieved")? {
        Value::Null => false,
        Value::Bool(achieved) => *achieved,
        other => {
            return Err(AnswerObject::wrong(
                "goal_achieved",
                other,
                "`true` or `false`",
            ));
        }
    };
    let input = match (object.text("input")?, object.text("message")?) {
        (Some(input), Some(message)) if input != message => {
            return Err("an object whose `input` and `message` contradict each other".to_owned());
        }
        (input, message) => input.or(message).unwrap_or_default(),
    };
    if input.is_empty() && !is_goal_achieved {
        return Err("neither an `input` nor `goal_achieved`".to_owned());
    }
    Ok(SimulatorAnswer {
        input,
        is_goal_achieved,
        reasoning: object.text("reasoning")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_simulator_says_is_read() {
        let achieved = |input: &str| SimulatorAnswer {
            is_goal_achieved: true,
            ..said(input)
        };
        let thought = SimulatorAnswer {
            reasoning: Some("why".to_owned()),
            ..said("Hi")
        };
        for (text, expected) in [
            ("Cancel it, please.", said("Cancel it, please.")),
            (
                r#"{"input": "Hi", "goal_achieved": false, "reasoning": "why"}"#,
                thought,
            ),
            (r#"{"message": "Hi"}"#, said("Hi")),
            ("```json\n{\"input\": \"Hi\"}\n```", said("Hi")),
            ("Here it is: {\"input\": \"Hi\"} Fine?", said("Hi")),
            (r#"{"input": "", "goal_achieved": true}"#, achieved("")),
            (
                r#"{"input": "Thanks", "goal_achieved": true}"#,
                achieved("Thanks"),
            ),
            (
                "My list is [1, 2] {so what}",
                said("My list is [1, 2] {so what}"),
            ),
        ] {
            assert_eq!(read_simulator_answer(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_not_clear_is_no_answer() {
        for (text, expected) in [
            (" ", "nothing"),
            (
                r#"{"passed": true}"#,
                "JSON without `input`, `message` or `goal_achieved`: {\"passed\": true}",
            ),
            (
                "```json\n[1]\n```",
                "JSON without `input`, `message` or `goal_achieved`: ```json [1] ```",
            ),
            (
                r#"{"goal_achieved": "true"}"#,
                "an object whose `goal_achieved` is \"true\", expected `true` or `false`",
            ),
            (
                r#"{"input": 7}"#,
                "an object whose `input` is 7, expected a text",
            ),
            (r#"{"input": ""}"#, "neither an `input` nor `goal_achieved`"),
            (
                r#"{"input": "a", "message": "b"}"#,
                "an object whose `input` and `message` contradict each other",
            ),
            (
                r#"{"input": "a"} {"input": "b"}"#,
                "answers that contradict each other: {\"input\": \"a\"} {\"input\": \"b\"}",
            ),
            (r#"{"input": "a"#, "JSON that is not valid: {\"input\": \"a"),
        ] {
            assert_eq!(
                read_simulator_answer(text),
                Err(expected.to_owned()),
                "{text}"
            );
        }
    }

    #[test]
    fn a_script_prints_a_text_or_an_object() {
        let of = |text: &str| read_simulator_value(&serde_json::from_str(text).unwrap());
        assert_eq!(of(r#""Hi""#), Ok(said("Hi")));
        assert_eq!(of(r#"{"input": "Hi"}"#), Ok(said("Hi")));
        for text in ["7", "{}", r#""""#, r#"{"input": ""}"#] {
            assert!(of(text).is_err(), "{text}");
        }
    }
}
