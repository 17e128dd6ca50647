//! The client-side tools, with their mocks filled: the target's and the test's, merged by name.

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

/// Checks and fills the tools of one level; what is known later or was reported is omitted. Without `scripts` their names
/// are not checked.
pub(crate) fn fill_client_tools(
    written: Option<&Vec<model::ClientTool>>,
    scripts: Option<Scripts<'_>>,
    interpolation: &mut Interpolation<'_>,
) -> Vec<CompiledClientTool> {
    let mut tools: Vec<CompiledClientTool> = Vec::new();
    let mut names = HashSet::new();
    for tool in written.into_iter().flatten() {
        let Ok(filled) = client_tool(tool, scripts, interpolation) else {
            continue;
        };
        if names.insert(filled.declaration.name.clone()) {
            tools.push(filled);
        } else {
            let message = format!("the tool `{}` is declared twice", filled.declaration.name);
            interpolation.report(Code::Contradiction, tool.name.span, message, None);
        }
    }
    tools
}

/// The target's tools, each replaced by the test's tool of the same name if there is one, then the test's further tools.
pub(crate) fn merge_client_tools(
    mut target: Vec<CompiledClientTool>,
    test: Vec<CompiledClientTool>,
) -> Vec<CompiledClientTool> {
    let places: HashMap<String, usize> = target
        .iter()
        .enumerate()
        .map(|(place, tool)| (tool.declaration.name.clone(), place))
        .collect();
    for tool in test {
        match places.get(&tool.declaration.name) {
            Some(place) => target[*place] = tool,
            None => target.push(tool),
        }
    }
    target
}

fn client_tool(
    tool: &model::ClientTool,
    scripts: Option<Scripts<'_>>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<CompiledClientTool> {
    let name = interpolation.text(&tool.name);
    if matches!(&name, Ok(name) if name.is_empty()) {
        return Err(interpolation.report(
            Code::EmptyValue,
            tool.name.span,
            "a tool's name cannot be empty",
            None,
        ));
    }
    let name = name.and_then(|name| {
        interpolation.check_tool_name(&tool.name, &name)?;
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
