//! A place that values can come from.

use serde_json::Value;

use crate::select::{ToolName, tool_name};
use ananke_base::diagnostic::{Code, Spanned};
use ananke_base::text::any_of;
use ananke_model::model::{SourceName, ValueSource};
use ananke_model::variables::{Fill as _, Interpolation};
use ananke_trace::trace::{Fact, Facts, Path};

/// A place that values can come from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum ProvenanceSource {
    User,
    History,
    State,
    /// The results of one tool, or of all.
    Results {
        tool: Option<ToolName>,
        path: Option<Path>,
    },
    Literal(Vec<Value>),
}

impl ProvenanceSource {
    /// Checks and fills it; `None` if something is known later or was reported.
    pub(super) fn compile(
        written: &Spanned<ValueSource>,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        let detailed = match &written.value {
            ValueSource::Named(name) => {
                return Some(match name.value {
                    SourceName::User => Self::User,
                    SourceName::Results => Self::Results {
                        tool: None,
                        path: None,
                    },
                    SourceName::History => Self::History,
                    SourceName::State => Self::State,
                });
            }
            ValueSource::Detailed(detailed) => detailed,
        };
        match (&detailed.result, &detailed.literal) {
            (Some(tool), None) => {
                let tool = tool_name(tool, interpolation).ok();
                let path = detailed.path.fill(interpolation).ok();
                Some(Self::Results {
                    tool: Some(ToolName::Exact(tool?)),
                    path: path?,
                })
            }
            (None, Some(values)) if detailed.path.is_none() && !values.is_empty() => {
                values.fill(interpolation).ok().map(Self::Literal)
            }
            _ => {
                let message = "a source is a name, `{ result, path }` or `{ literal }`";
                let help = "the names are `user`, `results`, `history` and `state`".to_owned();
                interpolation.report(Code::Contradiction, written.span, message, Some(help));
                None
            }
        }
    }

    /// The facts that it rests on.
    pub(super) fn needs(&self) -> Facts {
        match self {
            Self::User => Facts::of(&[Fact::UserText]),
            Self::State => Facts::of(&[Fact::State]),
            Self::Results { .. } => Facts::of(&[Fact::Calls, Fact::Results]),
            Self::History | Self::Literal(_) => Facts::NONE,
        }
    }

    /// The source in words.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::User => "the user".to_owned(),
            Self::History => "the history".to_owned(),
            Self::State => "the state".to_owned(),
            Self::Results { tool: None, .. } => "a result".to_owned(),
            Self::Results {
                tool: Some(tool),
                path: None,
            } => format!("a result of {}", tool.describe()),
            Self::Results {
                tool: Some(tool),
                path: Some(path),
            } => {
                format!("`{}` in a result of {}", path.as_str(), tool.describe())
            }
            Self::Literal(_) => "the given values".to_owned(),
        }
    }
}

/// Sources in words: `the user or a result`.
pub(super) fn either(sources: &[ProvenanceSource]) -> String {
    any_of(
        &sources
            .iter()
            .map(ProvenanceSource::describe)
            .collect::<Vec<_>>(),
    )
}
