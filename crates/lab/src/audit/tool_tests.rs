//! A test file for the tools that an agent declares: one test for each, which asks for it once.

use serde_json::{Map, Value, json};

use super::PermittedTools;
use super::made_arguments::{ArgumentsKind, made_arguments};
use ananke_agents::AgentTurns;
use ananke_base::context::interruption::{self, COMPUTING_TIME};
use ananke_base::message::DeclaredTool;
use ananke_base::source::{Node, to_yaml};
use ananke_model::schema::ValueSchema;
use ananke_model::variables::literal_value;
use ananke_run::WalkRandom;

/// The reason why a test does not run.
const SKIPPED: &str = "may change data";

/// The text of a test file, which begins with `head`: a test for each tool, skipped if it may change data and is not permitted. Names
/// and values of agents are text in it, never references.
pub fn test_file(
    head: &str,
    tools: &[DeclaredTool],
    turns: AgentTurns,
    permitted: &PermittedTools,
) -> String {
    let list = match turns {
        AgentTurns::User => None,
        AgentTurns::Tools(turns) => Some(json!({
            "name": "lists its tools",
            "turns": [{ "type": turns.list.name }],
            "assert": { "tools": { "schema": true } },
        })),
    };
    let tests: Vec<Value> = list
        .into_iter()
        .chain(unique(tools).map(|tool| test(tool, turns, permitted)))
        .collect();
    let file = literal_value(json!({ "tests": tests }));
    format!("{head}{}", to_yaml(&Node::of_json(&file), 0))
}

/// The tools that have a name of their own.
fn unique(tools: &[DeclaredTool]) -> impl Iterator<Item = &DeclaredTool> {
    let is_first = |place: usize, tool: &DeclaredTool| {
        !tools[..place].iter().any(|before| before.name == tool.name)
    };
    tools
        .iter()
        .enumerate()
        .filter(move |(place, tool)| !tool.name.is_empty() && is_first(*place, tool))
        .map(|(_, tool)| tool)
}

fn test(tool: &DeclaredTool, turns: AgentTurns, permitted: &PermittedTools) -> Value {
    let mut test = Map::from_iter([("name".to_owned(), json!(tool.name))]);
    if !permitted.contains(tool) {
        test.insert("skip".to_owned(), json!(SKIPPED));
    }
    let turn = match turns {
        AgentTurns::User => json!({ "user": example(tool) }),
        AgentTurns::Tools(turns) => json!({
            "type": turns.call.name, "tool": tool.name, "args": arguments(tool),
        }),
    };
    test.insert("turns".to_owned(), json!([turn]));
    if turns != AgentTurns::User {
        test.insert("assert".to_owned(), json!({ "tools": { "schema": true } }));
    }
    Value::Object(test)
}

/// The least arguments that the schema of a tool takes; none if they cannot be made.
fn arguments(tool: &DeclaredTool) -> Value {
    let schema = tool.input.clone().unwrap_or_else(|| json!({}));
    let made = interruption::within(COMPUTING_TIME, || {
        let compiled = ValueSchema::compile(schema.clone()).ok();
        made_arguments(&schema, compiled.as_ref(), WalkRandom::of_walk(1, 0))
    });
    let valid = made
        .unwrap_or_default()
        .into_iter()
        .find(|made| made.kind == ArgumentsKind::Valid);
    valid.map_or_else(|| json!({}), |made| made.args)
}

/// The words of a user who wants a skill: its first example, else its description or its name.
fn example(skill: &DeclaredTool) -> &str {
    let examples = skill.rest.get("examples").and_then(Value::as_array);
    let example = examples
        .and_then(|examples| examples.first())
        .and_then(Value::as_str);
    let texts = [example.unwrap_or_default(), &skill.description, &skill.name];
    texts
        .into_iter()
        .find(|text| !text.trim().is_empty())
        .unwrap_or("Hello")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, may_change_data: bool) -> DeclaredTool {
        let input = json!({
            "type": "object", "required": ["id"],
            "properties": { "id": { "type": "string", "examples": ["${O-7}"] }, "n": { "type": "integer" } },
        });
        DeclaredTool {
            name: name.to_owned(),
            description: "does it".to_owned(),
            input: Some(input),
            output: None,
            may_change_data,
            is_read_only: false,
            rest: Map::new(),
        }
    }

    #[test]
    fn arguments_are_the_least_that_the_schema_takes() {
        assert_eq!(arguments(&tool("read", false)), json!({ "id": "${O-7}" }));
        let mut odd = tool("odd", false);
        odd.input = Some(json!({ "type": "nothing" }));
        assert_eq!(arguments(&odd), json!({}));
    }

    #[test]
    fn a_name_that_two_tools_have_is_tested_once() {
        let tools = [
            tool("a", false),
            tool("a", true),
            tool("", false),
            tool("b", true),
        ];
        let names: Vec<&str> = unique(&tools).map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
    }

    #[test]
    fn a_skill_is_asked_for_by_its_example() {
        let mut skill = tool("book", true);
        assert_eq!(example(&skill), "does it");
        skill
            .rest
            .insert("examples".to_owned(), json!(["Book a table"]));
        assert_eq!(example(&skill), "Book a table");
    }
}
