//! A call of a script, checked against the tools that the request offers: no model could make another one.

use serde_json::{Map, Value};

use crate::problem::{ModelProblem, ModelProblemKind};
use ananke_base::text::{all_of, nearest, truncate};
use ananke_model::schema::ValueSchema;
use ananke_trace::trace::{ModelRequest, OfferedTool};

/// The most offered names that a message lists.
const MOST_NAMES: usize = 20;

/// The choice of tools by which a request forbids calls.
const NO_TOOL: &str = "none";

/// The most characters of arguments that a message has.
const SHOWN_CHARS: usize = 400;

/// Checks that the request offers this call.
///
/// # Errors
/// If the tool is not offered, or the arguments do not match the schema that is.
pub(crate) fn check_offered(
    tool: &str,
    args: &Map<String, Value>,
    request: &ModelRequest,
) -> Result<(), ModelProblem> {
    let Some(offered) = request.tools.iter().find(|known| known.name == tool) else {
        return Err(not_offered(tool, request));
    };
    // Some APIs have the word alone, others an object of this type.
    let choice = &request.tool_choice;
    if choice == NO_TOOL || choice["type"] == NO_TOOL {
        let message = format!("the script calls `{tool}`, and the request forbids calls");
        let help = "write `say` instead, or `undeclared: true` in the call if the model is to make this mistake";
        return Err(ModelProblem::new(ModelProblemKind::NotOffered, message)
            .fact(format!("tool choice of the request: {choice}"))
            .help(help));
    }
    check_arguments(offered, args)
}

fn not_offered(tool: &str, request: &ModelRequest) -> ModelProblem {
    let mut names = Vec::new();
    for offered in request.tools.iter().take(MOST_NAMES) {
        names.push(offered.name.as_str());
    }
    let offered = if names.is_empty() {
        "the request offers no tools".to_owned()
    } else {
        format!("the request offers {}", quoted(&names))
    };
    let help = match nearest(tool, names.iter().copied()) {
        Some(near) => format!("write `tool: {near}`"),
        None => "name a tool that the agent offers, or write `undeclared: true` in the call".into(),
    };
    let message = format!("the script calls `{tool}`, which the request does not offer");
    ModelProblem::new(ModelProblemKind::NotOffered, message)
        .fact(offered)
        .help(help)
}

/// Names as a list, each between backticks.
pub fn quoted(names: &[&str]) -> String {
    let mut quoted = Vec::new();
    for name in names {
        quoted.push(format!("`{name}`"));
    }
    all_of(&quoted)
}

fn check_arguments(offered: &OfferedTool, args: &Map<String, Value>) -> Result<(), ModelProblem> {
    // A tool without a schema accepts every argument.
    if offered.parameters.is_null() {
        return Ok(());
    }
    let name = &offered.name;
    let value = Value::Object(args.clone());
    let message =
        format!("the script calls `{name}` with arguments that its schema does not allow");
    let problem = ModelProblem::new(ModelProblemKind::NotOffered, message);
    let schema = match ValueSchema::compile(offered.parameters.clone()) {
        Ok(schema) => schema,
        Err(error) => {
            let fact = format!(
                "the schema that the agent offers is not valid: {}",
                error.message
            );
            return Err(unchecked(name, fact));
        }
    };
    let mismatches = match schema.mismatches(&value) {
        Ok(mismatches) => mismatches,
        Err(undecided) => return Err(unchecked(name, undecided.message)),
    };
    if mismatches.is_empty() {
        return Ok(());
    }
    let text = value.to_string();
    let shown = truncate::chars(&text, SHOWN_CHARS);
    let mut problem = problem.fact(format!("arguments: {shown}"));
    for mismatch in mismatches {
        let place = if mismatch.pointer.is_empty() {
            "the arguments"
        } else {
            &mismatch.pointer
        };
        problem = problem.fact(format!("{place}: {}", mismatch.message));
    }
    Err(problem.help("correct `args`, or write `undeclared: true` in the call if the model is to make this mistake"))
}

/// The problem of a call whose arguments cannot be checked for this reason.
fn unchecked(tool: &str, reason: String) -> ModelProblem {
    let message = format!("the arguments of the script's call to `{tool}` cannot be checked");
    ModelProblem::new(ModelProblemKind::NotOffered, message)
        .fact(reason)
        .help("correct the schema in the agent, or write `undeclared: true` in the call")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn request() -> ModelRequest {
        let parameters = json!({ "type": "object", "properties": { "amount": { "type": "number" } }, "required": ["amount"] });
        ModelRequest {
            tools: vec![OfferedTool {
                name: "charge_card".to_owned(),
                description: String::new(),
                parameters,
            }],
            ..ModelRequest::default()
        }
    }

    fn problem(tool: &str, args: &Value) -> String {
        let args = args.as_object().unwrap().clone();
        check_offered(tool, &args, &request())
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn an_offered_call_is_fine() {
        let args = json!({ "amount": 1.5 }).as_object().unwrap().clone();
        assert_eq!(check_offered("charge_card", &args, &request()), Ok(()));
    }

    #[test]
    fn a_misspelt_tool_names_the_one_that_is_offered() {
        assert_eq!(
            problem("charge_crad", &json!({})),
            "error[script-not-offered]: the script calls `charge_crad`, which the request does not offer\n  \
             the request offers `charge_card`\n  help: write `tool: charge_card`"
        );
    }

    #[test]
    fn a_request_that_forbids_calls_gets_none() {
        for choice in [json!("none"), json!({ "type": "none" })] {
            let mut request = request();
            request.tool_choice = choice;
            let args = json!({ "amount": 1 }).as_object().unwrap().clone();
            let problem = check_offered("charge_card", &args, &request).unwrap_err();
            assert!(problem.message.ends_with("the request forbids calls"));
        }
    }

    #[test]
    fn arguments_have_to_match_the_schema() {
        let text = problem("charge_card", &json!({ "amount": "much" }));
        assert!(text.contains("arguments: {\"amount\":\"much\"}"), "{text}");
        assert!(text.contains("/amount: "), "{text}");
    }
}
