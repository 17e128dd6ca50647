//! The tools that the client carries out, with their mocks filled: the target's and the test's, merged by name.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use crate::assertion::ArgumentPatterns;
use crate::diagnostic::{Code, Spanned};
use crate::message::ToolDeclaration;
use crate::model;
use crate::project::Scripts;
use crate::source::Node;
use crate::variables::{Interpolation, Leaf, NotReady};

/// A tool that the client carries out.
#[derive(Clone, Debug, PartialEq)]
pub struct CompiledClientTool {
    /// What the agent is told of it.
    pub declaration: ToolDeclaration,
    /// What answers its calls; `None` where nothing says so.
    pub mock: Option<CompiledMock>,
}

/// What answers the calls of a client tool.
#[derive(Clone, Debug, PartialEq)]
pub enum CompiledMock {
    /// Nothing: the call stays open.
    LeftOpen,
    /// This, every time.
    Always(CompiledMockAnswer),
    /// What the script of this name says, every time anew.
    Script(String),
    /// One after the other.
    Sequence(Vec<CompiledMockAnswer>),
    /// The first that fits the arguments.
    When(Vec<(ArgumentPatterns, CompiledMockAnswer)>),
}

/// One answer.
#[derive(Clone, Debug, PartialEq)]
pub struct CompiledMockAnswer {
    /// The answer, of a call that failed in words.
    pub content: Value,
    /// Whether the call failed.
    pub is_error: bool,
}

/// Checks and fills the tools of one level; what is known later or was reported is left out. Without `scripts` nothing
/// is said of their names.
pub(crate) fn fill_client_tools(
    written: Option<&Vec<model::ClientTool>>,
    scripts: Option<Scripts<'_>>,
    filling: &mut Interpolation<'_>,
) -> Vec<CompiledClientTool> {
    let mut tools: Vec<CompiledClientTool> = Vec::new();
    let mut names = HashSet::new();
    for tool in written.into_iter().flatten() {
        let Ok(filled) = client_tool(tool, scripts, filling) else { continue };
        if names.insert(filled.declaration.name.clone()) {
            tools.push(filled);
        } else {
            let message = format!("the tool `{}` is declared twice", filled.declaration.name);
            filling.report(Code::Contradiction, tool.name.span, message, None);
        }
    }
    tools
}

/// The target's tools, those of the test in the places of their namesakes, and the test's further ones.
pub(crate) fn merge_client_tools(
    mut target: Vec<CompiledClientTool>,
    test: Vec<CompiledClientTool>,
) -> Vec<CompiledClientTool> {
    let places: HashMap<String, usize> =
        target.iter().enumerate().map(|(place, tool)| (tool.declaration.name.clone(), place)).collect();
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
    filling: &mut Interpolation<'_>,
) -> Leaf<CompiledClientTool> {
    let name = filling.text(&tool.name);
    if matches!(&name, Ok(name) if name.is_empty()) {
        return Err(filling.report(Code::EmptyValue, tool.name.span, "a tool's name cannot be empty", None));
    }
    let description = tool.description.as_ref().map(|text| filling.text(text)).transpose();
    let parameters = tool.parameters.as_ref().map(|node| filling.json(node)).transpose();
    let mock = tool.mock.as_ref().map(|written| mock(written, scripts, filling));
    let any = || json!({ "type": "object", "properties": Map::new() });
    let declaration = ToolDeclaration {
        name: name?,
        description: description?.unwrap_or_default(),
        parameters: parameters?.unwrap_or_else(any),
    };
    Ok(CompiledClientTool { declaration, mock: mock.transpose()? })
}

fn mock(
    written: &model::Mock,
    scripts: Option<Scripts<'_>>,
    filling: &mut Interpolation<'_>,
) -> Leaf<CompiledMock> {
    match written {
        model::Mock::None => Ok(CompiledMock::LeftOpen),
        model::Mock::Result(node) => result(node, filling).map(CompiledMock::Always),
        model::Mock::Error(text) => error(text, filling).map(CompiledMock::Always),
        model::Mock::Script(name) => script(name, scripts, filling).map(CompiledMock::Script),
        model::Mock::Sequence(Spanned { value: answers, span }) if answers.is_empty() => {
            Err(filling.report(Code::BadValue, *span, "`sequence` needs at least one answer", None))
        }
        model::Mock::When(Spanned { value: cases, span }) if cases.is_empty() => {
            Err(filling.report(Code::BadValue, *span, "`when` needs at least one case", None))
        }
        model::Mock::Sequence(answers) => {
            let answers: Vec<Leaf<CompiledMockAnswer>> = answers
                .iter()
                .map(|answer| match answer {
                    model::MockAnswer::Result(node) => result(node, filling),
                    model::MockAnswer::Error(text) => error(text, filling),
                })
                .collect();
            answers.into_iter().collect::<Leaf<_>>().map(CompiledMock::Sequence)
        }
        model::Mock::When(cases) => {
            let cases: Vec<_> = cases.iter().map(|case| case_of(case, filling)).collect();
            cases.into_iter().collect::<Leaf<_>>().map(CompiledMock::When)
        }
    }
}

fn script(
    written: &model::Text,
    scripts: Option<Scripts<'_>>,
    filling: &mut Interpolation<'_>,
) -> Leaf<String> {
    let name = filling.text(written)?;
    if !filling.waits(written)
        && let Some(Err(problem)) = scripts.map(|scripts| scripts.check(&name))
    {
        let problem = filling.at(problem, written.span);
        filling.add(problem);
        return Err(NotReady::Invalid);
    }
    Ok(name)
}

fn case_of(
    case: &Spanned<model::MockCase>,
    filling: &mut Interpolation<'_>,
) -> Leaf<(ArgumentPatterns, CompiledMockAnswer)> {
    let patterns = ArgumentPatterns::compile(case.args_match.as_ref(), filling);
    let answer = match (&case.result, &case.error) {
        (Some(node), None) => result(node, filling),
        (None, Some(text)) => error(text, filling),
        (Some(_), Some(text)) => {
            let message = "a case answers with a `result` or with an `error`, not with both";
            Err(filling.report(Code::Contradiction, text.span, message, None))
        }
        (None, None) => {
            let message = "a case needs an answer: neither `result` nor `error` is there";
            let help = "add `result:` or `error:`; `result: \"\"` answers with nothing";
            Err(filling.report(Code::MissingKey, case.span, message, Some(help.to_owned())))
        }
    };
    Ok((patterns.ok_or(NotReady::Invalid)?, answer?))
}

fn result(node: &Node, filling: &mut Interpolation<'_>) -> Leaf<CompiledMockAnswer> {
    filling.json(node).map(|content| CompiledMockAnswer { content, is_error: false })
}

fn error(text: &model::Text, filling: &mut Interpolation<'_>) -> Leaf<CompiledMockAnswer> {
    let content = filling.text(text)?;
    Ok(CompiledMockAnswer { content: Value::String(content), is_error: true })
}
