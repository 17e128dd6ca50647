//! Names in rules that are probably misspelled: no agent of the run called such a tool, and one of almost the same name exists.

use std::borrow::Cow;

use ananke_base::diagnostic::{Code, Place};
use ananke_derive::Mask;

/// A tool that a rule names and no agent of the run called, or an argument of a tool that no call had. The name differs from another
/// one by one typo, or in case, separators or a prefix alone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Mask)]
pub struct NearName {
    /// The place of the name.
    pub place: Place,
    /// The name.
    pub name: String,
    /// The tool, if the name is that of an argument.
    pub tool: Option<String>,
    /// The rule: `tools.forbid`.
    #[mask(skip)]
    pub rule: Cow<'static, str>,
    /// The tool or the argument that was probably meant.
    pub nearest: String,
}

impl NearName {
    /// The kind of problem, for `ananke explain`.
    pub const CODE: Code = Code::NearName;

    /// The problem, on one line.
    pub fn message(&self) -> String {
        let Self { name, rule, .. } = self;
        match &self.tool {
            None => format!("no agent called `{name}`, which `{rule}` names"),
            Some(tool) => {
                format!("no call to `{tool}` had the argument `{name}`, which `{rule}` names")
            }
        }
    }

    /// The remedy.
    pub fn help(&self) -> String {
        format!("did you mean `{}`?", self.nearest)
    }
}

/// Everything that is known of such names at the end of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Mask)]
pub struct NearNames {
    /// By place.
    pub found: Vec<NearName>,
    /// The reason why some names are missing here; `None` if all were compared.
    pub note: Option<&'static str>,
}
