//! The client-side tools, with their mocks filled: the target's and the test's, merged by name; and servers whose tools are
//! declared as well, which only they know.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use crate::project::Scripts;
use ananke_base::diagnostic::{Code, Spanned};
use ananke_base::message::ToolDeclaration;
use ananke_base::source::Node;
use ananke_model::model;
use ananke_model::variables::{Fill as _, Interpolation, Leaf, NotReady, fill_all};
use ananke_rules::PathConditions;

/// A client-side tool.
#[derive(Clone, Debug, PartialEq)]
pub struct CompiledClientTool {
    /// The declaration for the agent.
    pub declaration: ToolDeclaration,
    /// The mock that answers its calls; `None` if there is none.
    pub mock: Option<CompiledMock>,
}

impl CompiledClientTool {
    /// The declarations of `tools` for the agent.
    pub fn declarations(tools: &[Self]) -> Vec<ToolDeclaration> {
        let tools = tools.iter();
        tools.map(|tool| tool.declaration.clone()).collect()
    }
}

/// The mock that answers the calls of a client tool.
#[derive(Clone, Debug, PartialEq)]
pub enum CompiledMock {
    /// Nothing: the call stays open.
    LeftOpen,
    /// This, every time.
    Always(CompiledMockAnswer),
    /// The script of this name, which is run for each call.
    Script(String),
    /// One after the other.
    Sequence(Vec<CompiledMockAnswer>),
    /// The first that fits the arguments.
    When(Vec<(PathConditions, CompiledMockAnswer)>),
}

/// One answer.
#[derive(Clone, Debug, PartialEq)]
pub struct CompiledMockAnswer {
    /// The answer, of a call that failed in words.
    pub content: Value,
    /// Whether the call failed.
    pub is_error: bool,
}

/// The client-side tools of a target, of a test, or of both.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompiledClientTools {
    /// The entries with a `name`, each with its own mock.
    pub written: Vec<CompiledClientTool>,
    /// The servers whose tools are declared as well.
    pub served: Vec<ServedTools>,
}

/// A server whose tools are declared to the agent, before it has listed them.
#[derive(Clone, Debug, PartialEq)]
pub struct ServedTools {
    /// The name of its target.
    pub target: String,
    /// The mocks that answer calls to its tools, by their names, in the order of the file.
    pub mocks: Vec<(String, CompiledMock)>,
    /// The calls that reach the server, and are not answered here.
    pub executed: CompiledExecution,
}

/// The tools that a server executes itself. A mock comes first.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum CompiledExecution {
    /// No call reaches it: mocks answer, or calls stay open.
    #[default]
    Nothing,
    /// All that change no data.
    Unmocked,
    /// The tools with these names, whatever they do.
    Named(Vec<String>),
}

impl CompiledClientTools {
    /// Checks and fills the tools of one level; what is known later or was reported is omitted. Without `scripts` their names
    /// are not checked.
    pub(crate) fn fill(
        written: Option<&Vec<model::ClientTool>>,
        scripts: Option<Scripts<'_>>,
        interpolation: &mut Interpolation<'_>,
    ) -> Self {
        let mut tools = Self::default();
        let mut names = HashSet::new();
        let mut servers = HashSet::new();
        for entry in written.into_iter().flatten() {
            if let Some(from) = &entry.from {
                let Ok(served) = served_tools(entry, from, scripts, interpolation) else {
                    continue;
                };
                if servers.insert(served.target.clone()) {
                    tools.served.push(served);
                } else {
                    let message = format!("the tools of `{}` are declared twice", served.target);
                    interpolation.report(Code::Contradiction, from.span, message, None);
                }
            // The schema demands one of both keys.
            } else if let Some(name) = &entry.name {
                let Ok(tool) = client_tool(entry, name, scripts, interpolation) else {
                    continue;
                };
                if names.insert(tool.declaration.name.clone()) {
                    tools.written.push(tool);
                } else {
                    let message = format!("the tool `{}` is declared twice", tool.declaration.name);
                    interpolation.report(Code::Contradiction, name.span, message, None);
                }
            }
        }
        tools
    }

    /// The tools of a target, each replaced by the test's tool of the same name if there is one, then the test's further tools;
    /// servers alike.
    #[must_use]
    pub(crate) fn merged(self, test: Self) -> Self {
        Self {
            written: merged_by_name(self.written, test.written, |tool| &tool.declaration.name),
            served: merged_by_name(self.served, test.served, |served| &served.target),
        }
    }
}

/// The entries of a target, each replaced by the test's entry of the same name if there is one, then the test's further ones.
fn merged_by_name<T>(mut target: Vec<T>, test: Vec<T>, name: impl Fn(&T) -> &String) -> Vec<T> {
    // Names are copied, since the entries that have them are replaced.
    let mut places = HashMap::new();
    for (place, entry) in target.iter().enumerate() {
        places.insert(name(entry).clone(), place);
    }
    for entry in test {
        match places.get(name(&entry)) {
            Some(place) => target[*place] = entry,
            None => target.push(entry),
        }
    }
    target
}

/// The tools of the server `from`, which `entry` declares.
fn served_tools(
    entry: &model::ClientTool,
    from: &model::Text,
    scripts: Option<Scripts<'_>>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<ServedTools> {
    let keys_of_one_tool = [
        ("name", entry.name.is_some()),
        ("description", entry.description.is_some()),
        ("parameters", entry.parameters.is_some()),
        ("mock", entry.mock.is_some()),
    ];
    for (key, is_there) in keys_of_one_tool {
        if is_there {
            let message = format!("`{key}` is for one tool, and `from` declares those of a server");
            let help = "mock a tool of the server by its name: `mocks: { NAME: { result: … } }`";
            let help = Some(help.to_owned());
            return Err(interpolation.report(Code::Contradiction, from.span, message, help));
        }
    }
    // The plan must know before the run which targets a test needs.
    if from.value.contains("${") {
        let message = "`from` is the name of a target as it is written: variables are not replaced";
        return Err(interpolation.report(Code::BadValue, from.span, message, None));
    }
    // Every mock is filled before an error returns, so that the problems of all are reported.
    let mut mocks = Vec::new();
    let mut has_all = true;
    for (name, written) in entry.mocks.iter().flatten() {
        match mock(written, scripts, interpolation) {
            Ok(mock) => mocks.push((name.value.clone(), mock)),
            Err(_) => has_all = false,
        }
    }
    let executed = match entry.execute.as_ref().map(|execute| &execute.value) {
        None => CompiledExecution::Nothing,
        Some(model::ExecutedTools::Unmocked) => CompiledExecution::Unmocked,
        Some(model::ExecutedTools::Named(names)) => {
            let names = fill_all(names, |name| interpolation.text(name))?;
            CompiledExecution::Named(names)
        }
    };
    if !has_all {
        return Err(NotReady::Invalid);
    }
    Ok(ServedTools {
        target: from.value.clone(),
        mocks,
        executed,
    })
}

/// The tool that `tool` declares by the name `written`.
fn client_tool(
    tool: &model::ClientTool,
    written: &model::Text,
    scripts: Option<Scripts<'_>>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<CompiledClientTool> {
    for (key, is_there) in [
        ("mocks", tool.mocks.is_some()),
        ("execute", tool.execute.is_some()),
    ] {
        if is_there {
            let message = format!("`{key}` is for the tools of a server, which `from` names");
            let help = Some("answer calls to this tool with `mock: { result: … }`".to_owned());
            return Err(interpolation.report(Code::Contradiction, written.span, message, help));
        }
    }
    let name = interpolation.text(written);
    if matches!(&name, Ok(name) if name.is_empty()) {
        return Err(interpolation.report(
            Code::EmptyValue,
            written.span,
            "a tool's name cannot be empty",
            None,
        ));
    }
    let name = name.and_then(|name| {
        interpolation.check_tool_name(written, &name)?;
        Ok(name)
    });
    let description: Leaf<Option<_>> = tool.description.fill(interpolation);
    let parameters: Leaf<Option<_>> = tool.parameters.fill(interpolation);
    let mock = tool
        .mock
        .as_ref()
        .map(|written| mock(written, scripts, interpolation));
    let any = || json!({ "type": "object", "properties": Map::new() });
    let declaration = ToolDeclaration {
        name: name?,
        description: description?.unwrap_or_default(),
        parameters: parameters?.unwrap_or_else(any),
    };
    Ok(CompiledClientTool {
        declaration,
        mock: mock.transpose()?,
    })
}

fn mock(
    written: &model::Mock,
    scripts: Option<Scripts<'_>>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<CompiledMock> {
    match written {
        model::Mock::None => Ok(CompiledMock::LeftOpen),
        model::Mock::Result(node) => result(node, interpolation).map(CompiledMock::Always),
        model::Mock::Error(text) => error(text, interpolation).map(CompiledMock::Always),
        model::Mock::Script(name) => script(name, scripts, interpolation).map(CompiledMock::Script),
        model::Mock::Sequence(Spanned {
            value: answers,
            span,
        }) if answers.is_empty() => Err(interpolation.report(
            Code::BadValue,
            *span,
            "`sequence` needs at least one answer",
            None,
        )),
        model::Mock::When(Spanned { value: cases, span }) if cases.is_empty() => Err(interpolation
            .report(
                Code::BadValue,
                *span,
                "`when` needs at least one case",
                None,
            )),
        model::Mock::Sequence(answers) => {
            let answers = fill_all(&answers.value, |answer| match answer {
                model::MockAnswer::Result(node) => result(node, interpolation),
                model::MockAnswer::Error(text) => error(text, interpolation),
            });
            answers.map(CompiledMock::Sequence)
        }
        model::Mock::When(cases) => {
            fill_all(&cases.value, |case| case_of(case, interpolation)).map(CompiledMock::When)
        }
    }
}

fn script(
    written: &model::Text,
    scripts: Option<Scripts<'_>>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<String> {
    let name = interpolation.text(written)?;
    if !interpolation.waits(written)
        && let Some(Err(problem)) = scripts.map(|scripts| scripts.check(&name))
    {
        let problem = interpolation.at(problem, written.span);
        interpolation.add(problem);
        return Err(NotReady::Invalid);
    }
    Ok(name)
}

fn case_of(
    case: &Spanned<model::MockCase>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<(PathConditions, CompiledMockAnswer)> {
    let conditions = PathConditions::compile(
        case.args_match.as_ref(),
        case.args_where.as_ref(),
        interpolation,
    );
    let answer = match (&case.result, &case.error) {
        (Some(node), None) => result(node, interpolation),
        (None, Some(text)) => error(text, interpolation),
        (Some(_), Some(text)) => {
            let message = "a case answers with a `result` or with an `error`, not with both";
            Err(interpolation.report(Code::Contradiction, text.span, message, None))
        }
        (None, None) => {
            let message = "a case needs an answer: neither `result` nor `error` is there";
            let help = "add `result:` or `error:`; `result: \"\"` answers with nothing";
            Err(interpolation.report(Code::MissingKey, case.span, message, Some(help.to_owned())))
        }
    };
    Ok((conditions.ok_or(NotReady::Invalid)?, answer?))
}

fn result(node: &Node, interpolation: &mut Interpolation<'_>) -> Leaf<CompiledMockAnswer> {
    interpolation.json(node).map(|content| CompiledMockAnswer {
        content,
        is_error: false,
    })
}

fn error(text: &model::Text, interpolation: &mut Interpolation<'_>) -> Leaf<CompiledMockAnswer> {
    let content = interpolation.text(text)?;
    Ok(CompiledMockAnswer {
        content: Value::String(content),
        is_error: true,
    })
}
