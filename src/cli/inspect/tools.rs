//! `ananke tools`: the tools of a server, the skills of an agent card, or the client tools of a target.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use ananke::agents::AgentTurns;
use ananke::audit::test_file;
use ananke::context::{Context, write_file};
use ananke::message::DeclaredTool;
use ananke::plan::PreparedHelper;
use ananke::run::Stopper;
use ananke::source::reason;
use ananke::text::{escape, truncate};
use clap::Args;
use serde_json::{Value, json};

use crate::cli::contact::{AgentProject, AgentTools, NamedAgent, PlaceOptions, ServerNotes};
use crate::cli::frame::{Colour, CommandOptions, Exit, Failed, interruptible, print};
use crate::cli::options::{PermissionOptions, RecordedSelection};
use crate::cli::output::{DocumentForm, ForceOption, OutputFiles, OutputKind, named_path};

/// The version of the JSON object.
const VERSION: &str = "1.0";

/// The most characters of a description that are shown.
const SHOWN: usize = 100;

#[derive(Debug, Args)]
pub(crate) struct ToolsOptions {
    /// The target whose tools are shown, or the URL of a server or an agent (default: the target of the config)
    #[arg(value_name = "TARGET | URL", conflicts_with = "target")]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) place: PlaceOptions,
    /// Also write a test for each tool to this file; the test of a tool that may change data is skipped
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) permission: PermissionOptions,
    #[command(flatten)]
    pub(crate) form: DocumentForm,
    #[command(flatten)]
    pub(crate) force: ForceOption,
    #[command(flatten)]
    pub(crate) project: RecordedSelection,
}

/// The tools of an agent, and how a test uses them.
struct ListedTools {
    tools: Vec<DeclaredTool>,
    /// The turns of a test that uses them; `None` for client tools, which an agent calls.
    turns: Option<AgentTurns>,
}

impl CommandOptions for ToolsOptions {
    /// Shows the tools. No tool is called.
    fn run(&self, context: &Context) -> Result<Exit, Failed> {
        let (listed, agent) = interruptible(context, async |stopper| {
            let name = self.name.as_deref();
            let named = NamedAgent::of(name, &self.place, &self.project, context, stopper).await?;
            let mut agent = named.project;
            let file = self.output.iter();
            let file = file.map(|file| (file.as_path(), OutputKind::Source));
            OutputFiles::of(context, self.force).check_named(file, context)?;
            let listed = match named.found {
                Some(found) => ListedTools {
                    turns: found.tools.is_some().then_some(agent.turns),
                    tools: found.tools.unwrap_or_default(),
                },
                None => listed(self, &mut agent, stopper).await?,
            };
            Ok((listed, agent))
        })?;
        if let Some(file) = &self.output {
            write(file, &listed, self, &agent)?;
        }
        let text = if self.form.json {
            let object = json!({
                "version": VERSION,
                "target": agent.name,
                "tools": listed.tools.iter().map(|tool| in_json(tool, &agent)).collect::<Value>(),
            });
            escape::json(&object.to_string()).into_owned() + "\n"
        } else {
            table(&listed, &agent)
        };
        print(|out| out.write_all(text.as_bytes()))?;
        Ok(Exit::Success)
    }

    fn colour(&self) -> Colour {
        self.project.color
    }
}

/// The tools of a target of the config, while its servers run.
async fn listed(
    options: &ToolsOptions,
    agent: &mut AgentProject,
    stopper: &Stopper,
) -> Result<ListedTools, Failed> {
    let work = async |agent: &AgentProject, target: PreparedHelper| {
        let tools = agent.tools(target, stopper).await?;
        Ok::<_, Failed>(match tools {
            AgentTools::Listed(tools) => ListedTools {
                turns: Some(agent.turns),
                tools,
            },
            AgentTools::OfClient(tools) => ListedTools { turns: None, tools },
        })
    };
    let notes = ServerNotes::of(options.form);
    agent
        .while_served(notes, options.project.color, stopper, work)
        .await
}

fn write(
    file: &Path,
    listed: &ListedTools,
    options: &ToolsOptions,
    agent: &AgentProject,
) -> Result<(), Failed> {
    let Some(turns) = listed.turns else {
        return Err(Failed::new(
            "client tools are called by the agent, not by a test: there is nothing to write",
        ));
    };
    let (path, shown) = named_path(file, &agent.context);
    let text = test_file("", &listed.tools, turns, &options.permission.permitted());
    write_file(&path, agent.redactor.text(&text).as_bytes())
        .map_err(|error| Failed::new(format!("cannot write `{shown}`: {}", reason(&error))))
}

/// The tools for people: each with its arguments, of which `?` marks those that may be missing, and what it does.
fn table(listed: &ListedTools, agent: &AgentProject) -> String {
    let mut text = String::new();
    let line = |text: &str| escape::line(&agent.redactor.text(text)).into_owned();
    for tool in &listed.tools {
        let effect = match listed.turns {
            Some(AgentTurns::Tools(_)) if tool.may_change_data => "  may change data",
            Some(AgentTurns::Tools(_)) => "  changes nothing",
            Some(AgentTurns::User) | None => "",
        };
        let arguments = match listed.turns {
            Some(AgentTurns::User) => String::new(),
            Some(AgentTurns::Tools(_)) | None => format!("({})", arguments(tool)),
        };
        let _ = writeln!(
            text,
            "{}{effect}",
            line(&format!("{}{arguments}", tool.name))
        );
        let description = tool.description.split_whitespace().collect::<Vec<_>>();
        if !description.is_empty() {
            let description = line(&description.join(" "));
            let _ = writeln!(text, "    {}", truncate::chars(&description, SHOWN));
        }
    }
    let noun = match listed.turns {
        Some(AgentTurns::Tools(_)) => "tool",
        Some(AgentTurns::User) => "skill",
        None => "client tool",
    };
    let count = listed.tools.len();
    let plural = if count == 1 { "" } else { "s" };
    let _ = writeln!(text, "\n{count} {noun}{plural}");
    if listed.turns.is_none() && listed.tools.is_empty() {
        text += "note: an agent of this protocol does not list its own tools; a run shows those that it calls\n";
    }
    text
}

/// The arguments of a tool: `query: string, limit?: integer`.
fn arguments(tool: &DeclaredTool) -> String {
    let schema = tool.input.as_ref();
    let properties = schema.and_then(|schema| schema.get("properties")?.as_object());
    let required = schema.and_then(|schema| schema.get("required")?.as_array());
    let argument = |(name, schema): (&String, &Value)| {
        let is_required = required
            .is_some_and(|required| required.iter().any(|required| required == name.as_str()));
        let mark = if is_required { "" } else { "?" };
        match of_type(schema) {
            Some(of_type) => format!("{name}{mark}: {of_type}"),
            None => format!("{name}{mark}"),
        }
    };
    let all: Vec<String> = properties.into_iter().flatten().map(argument).collect();
    all.join(", ")
}

/// The type that a schema names, or the values that it allows.
fn of_type(schema: &Value) -> Option<String> {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let values: Vec<String> = values.iter().map(ToString::to_string).collect();
        return Some(values.join(" | "));
    }
    match schema.get("type")? {
        Value::String(of_type) => Some(of_type.clone()),
        Value::Array(types) => {
            let types: Vec<&str> = types.iter().filter_map(Value::as_str).collect();
            Some(types.join(" | "))
        }
        _ => None,
    }
}

/// A tool for programs.
fn in_json(tool: &DeclaredTool, agent: &AgentProject) -> Value {
    let mut object = json!({
        "name": tool.name, "description": tool.description, "parameters": tool.input, "result": tool.output,
        "may_change_data": tool.may_change_data, "rest": tool.rest,
    });
    ananke::message::map_strings(&mut object, &|text| agent.redactor.text(text).into_owned());
    object
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;

    #[test]
    fn arguments_say_their_types_and_which_may_be_missing() {
        let input = json!({
            "required": ["a"],
            "properties": { "a": { "type": "string" }, "b": { "enum": [1, "x"] }, "c": {}, "d": { "type": ["null", "integer"] } },
        });
        let tool = DeclaredTool {
            name: String::new(),
            description: String::new(),
            input: Some(input),
            output: None,
            may_change_data: true,
            is_read_only: false,
            rest: Map::new(),
        };
        let expected = "a: string, b?: 1 | \"x\", c?, d?: null | integer";
        assert_eq!(arguments(&tool), expected);
    }
}
