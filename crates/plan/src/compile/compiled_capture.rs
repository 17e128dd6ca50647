//! Captures with their variables filled: names, and where their values are found.

use ananke_base::diagnostic::{Code, Place, Spanned};
use ananke_base::source::printable;
use ananke_model::model;
use ananke_model::variables::{
    Fill as _, Interpolation, Leaf, NotReady, Pattern, SPELLED_NUMBERS, name_problem,
};
use ananke_trace::trace::Path;

/// A variable that a turn gives.
#[derive(Clone, Debug, PartialEq)]
pub struct CompiledCapture {
    /// Its name.
    pub name: String,
    /// The place where it is written.
    pub place: Place,
    /// The source of its value.
    pub from: CaptureFrom,
    /// Whether numbers keep the spelling that the agent sent.
    pub keeps_spelling: bool,
}

/// The source of a value. Without a path it is the whole.
#[derive(Clone, Debug, PartialEq)]
pub enum CaptureFrom {
    /// In the arguments of the last call to a tool.
    Args(String, Option<Path>),
    /// In the result of the last call to a tool.
    Result(String, Option<Path>),
    /// The match of a pattern's one group in the text.
    Text(Pattern),
    /// In the agent's state.
    State(Option<Path>),
}

const SHAPES: &str = "write `{ tool: NAME, result: PATH }`, `{ tool: NAME, args: PATH }`, `{ text: PATTERN }` or `{ state: PATH }`";

impl CompiledCapture {
    /// Checks and fills what a turn keeps.
    pub(crate) fn fill(
        name: &Spanned<String>,
        written: &Spanned<model::Capture>,
        interpolation: &mut Interpolation<'_>,
    ) -> Leaf<Self> {
        let named = check_name(name, interpolation);
        let from = from(written, interpolation);
        named?;
        Ok(Self {
            name: name.value.clone(),
            place: interpolation.source().place(name.span),
            from: from?,
            keeps_spelling: interpolation.source().is_since(SPELLED_NUMBERS),
        })
    }
}

/// Reports a name that no variable can have.
pub(crate) fn check_name(
    name: &Spanned<String>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<()> {
    let Some((what, help)) = name_problem(name) else {
        return Ok(());
    };
    let message = format!("`{}` {what}", printable(name));
    Err(interpolation.report(Code::BadValue, name.span, message, Some(help.to_owned())))
}

fn from(
    written: &Spanned<model::Capture>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<CaptureFrom> {
    let model::Capture {
        tool,
        args,
        result,
        text,
        state,
    } = &written.value;
    match (tool, args, result, text, state) {
        (Some(tool), Some(args), None, None, None) => {
            let (tool, path) = (interpolation.text(tool), path(args, interpolation));
            Ok(CaptureFrom::Args(tool?, path?))
        }
        (Some(tool), None, Some(result), None, None) => {
            let (tool, path) = (interpolation.text(tool), path(result, interpolation));
            Ok(CaptureFrom::Result(tool?, path?))
        }
        (None, None, None, Some(pattern), None) => {
            one_group(pattern, interpolation).map(CaptureFrom::Text)
        }
        (None, None, None, None, Some(state)) => path(state, interpolation).map(CaptureFrom::State),
        (Some(tool), None, None, None, None) => {
            let message = "nothing says what of the call is kept";
            let help = "add `args: PATH` or `result: PATH`".to_owned();
            Err(interpolation.report(Code::MissingKey, tool.span, message, Some(help)))
        }
        _ => {
            let message = "a variable is captured from one place: a call, the text, or the state";
            Err(interpolation.report(
                Code::BadValue,
                written.span,
                message,
                Some(SHAPES.to_owned()),
            ))
        }
    }
}

fn path(written: &model::Text, interpolation: &mut Interpolation<'_>) -> Leaf<Option<Path>> {
    let path: Path = written.fill(interpolation)?;
    Ok((!path.is_whole()).then_some(path))
}

fn one_group(written: &model::Text, interpolation: &mut Interpolation<'_>) -> Leaf<Pattern> {
    let pattern = interpolation.pattern(written)?;
    let message = match pattern.groups() {
        1 => return Ok(pattern),
        // What is known later may bring the group.
        _ if interpolation.waits(written) => return Err(NotReady::Pending),
        0 => "the pattern needs one capture group, for the value".to_owned(),
        groups => format!("the pattern has {groups} groups, expected one, which is the value"),
    };
    let help = "put the value between `(` and `)`; `(?:…)` is a group that captures nothing";
    Err(interpolation.report(
        Code::BadPattern,
        written.span,
        message,
        Some(help.to_owned()),
    ))
}
