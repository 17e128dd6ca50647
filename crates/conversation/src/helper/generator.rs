//! The generator of test cases on the command line: `agents:NAME?count=5&focus=…`.

use serde_json::{Map, Number, Value};
use url::form_urlencoded;

/// The number of cases that a generator is asked for without a number (SPEC 9).
const COUNT: u64 = 5;

/// The tools of the agent under test; as a parameter, the target that has them.
const TOOLS: &str = "target_tools";

/// The kind of generator of test cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeneratorKind {
    /// A target of the config.
    Agent,
    /// A script of the project.
    Script,
}

/// A generator of test cases, as the command line names it.
#[derive(Clone, Debug, PartialEq)]
pub struct Generator {
    /// The side that generates.
    pub kind: GeneratorKind,
    /// The name of the target or script.
    pub name: String,
    /// The further parameters of the request, in the order of the command line; always with `count`.
    pub parameters: Map<String, Value>,
}

impl Generator {
    /// The generator that `text` names, as `agents:NAME` or `scripts:NAME` with an optional `?key=value&…`; `None` if it names
    /// none: then it may be a message for the agent.
    pub fn parse(text: &str) -> Option<Self> {
        let kind;
        let address;
        if let Some(after_prefix) = text.strip_prefix("agents:") {
            kind = GeneratorKind::Agent;
            address = after_prefix;
        } else {
            kind = GeneratorKind::Script;
            address = text.strip_prefix("scripts:")?;
        }
        let (name, query) = address.split_once('?').unwrap_or((address, ""));
        // A message may begin with `agents:` too, as "agents: who are they?" does. No name has whitespace.
        if name.is_empty() || name.contains(char::is_whitespace) {
            return None;
        }

        // If two parameters have the same name, the first counts. A `count` of the query replaces the default.
        let mut given = Map::new();
        for (name, text) in form_urlencoded::parse(query.as_bytes()) {
            given.entry(name).or_insert_with(|| typed(&text));
        }
        let mut parameters = Map::new();
        parameters.insert("count".to_owned(), COUNT.into());
        parameters.extend(given);
        Some(Self {
            kind,
            name: name.to_owned(),
            parameters,
        })
    }

    /// The target whose tools it gets, if a parameter names one.
    pub fn tools_of(&self) -> Option<&str> {
        self.parameters.get(TOOLS)?.as_str()
    }

    /// The request for cases for the agent `target`.
    pub fn keys(&self, target: &str, description: &str, tools: &Value) -> Map<String, Value> {
        let mut keys = Map::new();
        keys.insert("target_agent".to_owned(), target.into());
        keys.insert("target_description".to_owned(), description.into());
        keys.insert(TOOLS.to_owned(), tools.clone());
        keys.extend(self.parameters.clone());
        // A parameter of this name says where the tools are from.
        keys.insert(TOOLS.to_owned(), tools.clone());
        keys
    }
}

/// A number or a boolean if `text` looks like one, else the text.
fn typed(text: &str) -> Value {
    match text {
        "true" => true.into(),
        "false" => false.into(),
        _ => match text.parse::<Number>() {
            // `007` is not a JSON number, and `1e999` is too large.
            Ok(number) if number.as_f64().is_some_and(f64::is_finite) => Value::Number(number),
            _ => text.into(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn parameters_have_the_type_that_they_look_like_and_the_first_wins() {
        let query = "agents:workers.test.generator?count=10&focus=edge-cases&deep=true&rate=0.5&id=007&count=3&empty=&two=a%20b+c";
        let generator = Generator::parse(query).expect("a generator");
        assert_eq!(
            (generator.kind, generator.name.as_str()),
            (GeneratorKind::Agent, "workers.test.generator")
        );
        let expected = json!({
            "count": 10, "focus": "edge-cases", "deep": true, "rate": 0.5, "id": "007", "empty": "", "two": "a b c",
        });
        assert_eq!(Value::Object(generator.parameters), expected);
        let generator = Generator::parse("scripts:tests.expense.generate").expect("a generator");
        assert_eq!(
            Value::Object(generator.keys("expense", "pays", &json!([]))),
            json!({ "target_agent": "expense", "target_description": "pays", "target_tools": [], "count": 5 })
        );
        let generator = Generator::parse("scripts:a?target_tools=shop").expect("a generator");
        assert_eq!(generator.tools_of(), Some("shop"));
        assert_eq!(
            generator.keys("expense", "pays", &json!([1]))["target_tools"],
            json!([1])
        );
    }

    #[test]
    fn a_sentence_names_no_generator() {
        for text in [
            "agents: who are they?",
            "agents:",
            "scripts:?count=1",
            "Hello",
            "agent:x",
        ] {
            assert_eq!(Generator::parse(text), None, "{text}");
        }
    }
}
