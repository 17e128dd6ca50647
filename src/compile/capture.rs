//! What a turn keeps for those behind it, with its variables filled: names, and where their values are found.

use crate::diagnostic::{Code, Spanned};
use crate::model;
use crate::source::printable;
use crate::trace::Path;
use crate::variables::{Interpolation, Leaf, NotReady, Pattern, is_name, is_reserved};

/// A variable that a turn gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Capture {
    /// Its name.
    pub name: String,
    /// Where its value is found.
    pub from: CaptureFrom,
}

/// Where a value is found. Without a path the whole is meant.
#[derive(Clone, Debug, PartialEq)]
pub enum CaptureFrom {
    /// In the arguments of the last call of a tool.
    Args(String, Option<Path>),
    /// In the result of the last call of a tool.
    Result(String, Option<Path>),
    /// What the one group of a pattern matches in the text.
    Text(Pattern),
    /// In the agent's state.
    State(Option<Path>),
}

/// What stands for the whole value in the place of a path.
const WHOLE: &str = "$";

const SHAPES: &str = "write `{ tool: NAME, result: PATH }`, `{ tool: NAME, args: PATH }`, `{ text: PATTERN }` or `{ state: PATH }`";

impl Capture {
    /// Checks and fills what a turn keeps; `None` where something is known later or was reported.
    pub(crate) fn fill(
        name: &Spanned<String>,
        written: &Spanned<model::Capture>,
        filling: &mut Interpolation<'_>,
    ) -> Option<Self> {
        let named = check_name(name, filling);
        let from = from(written, filling);
        named?;
        Some(Self { name: name.value.clone(), from: from? })
    }
}

/// Reports a name that no variable can have.
pub(crate) fn check_name(name: &Spanned<String>, filling: &mut Interpolation<'_>) -> Option<()> {
    let (message, help) = if is_reserved(name) {
        (
            format!("`{}` is reserved", printable(name)),
            "`ENV` and all names that begin with `TEST_` are ananke's own",
        )
    } else if is_name(name) {
        return Some(());
    } else {
        let help = "names are made of letters, digits and `_`, and begin with no digit";
        (format!("`{}` is no name of a variable", printable(name)), help)
    };
    filling.report(Code::BadValue, name.span, message, Some(help.to_owned()));
    None
}

fn from(written: &Spanned<model::Capture>, filling: &mut Interpolation<'_>) -> Option<CaptureFrom> {
    let model::Capture { tool, args, result, text, state } = &written.value;
    match (tool, args, result, text, state) {
        (Some(tool), Some(args), None, None, None) => {
            let (tool, path) = (filling.text(tool).ok(), path(args, filling).ok());
            Some(CaptureFrom::Args(tool?, path?))
        }
        (Some(tool), None, Some(result), None, None) => {
            let (tool, path) = (filling.text(tool).ok(), path(result, filling).ok());
            Some(CaptureFrom::Result(tool?, path?))
        }
        (None, None, None, Some(pattern), None) => one_group(pattern, filling).map(CaptureFrom::Text),
        (None, None, None, None, Some(state)) => path(state, filling).ok().map(CaptureFrom::State),
        (Some(tool), None, None, None, None) => {
            let message = "nothing says what of the call is kept";
            filling.report(
                Code::MissingKey,
                tool.span,
                message,
                Some("add `args: PATH` or `result: PATH`".to_owned()),
            );
            None
        }
        _ => {
            let message = "a variable is captured from one place: a call, the text, or the state";
            filling.report(Code::BadValue, written.span, message, Some(SHAPES.to_owned()));
            None
        }
    }
}

fn path(written: &model::Text, filling: &mut Interpolation<'_>) -> Leaf<Option<Path>> {
    let Ok(text) = filling.text(written) else { return Err(NotReady::Invalid) };
    if text == WHOLE {
        return Ok(None);
    }
    match Path::parse(&text) {
        Ok(path) => Ok(Some(path)),
        Err(error) => {
            filling.report(
                Code::BadValue,
                written.span,
                error,
                Some(format!("`{WHOLE}` stands for the whole value")),
            );
            Err(NotReady::Invalid)
        }
    }
}

fn one_group(written: &model::Text, filling: &mut Interpolation<'_>) -> Option<Pattern> {
    let is_known = !filling.waits(written);
    let pattern = filling.pattern(written).ok()?;
    let message = match pattern.groups() {
        0 => "the pattern has no group, which would be the value".to_owned(),
        groups if groups > 1 => format!("the pattern has {groups} groups, expected one, which is the value"),
        _ => return Some(pattern),
    };
    if is_known {
        let help = "put the value between `(` and `)`; `(?:…)` is a group that keeps nothing";
        filling.report(Code::BadPattern, written.span, message, Some(help.to_owned()));
    }
    None
}
