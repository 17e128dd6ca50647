//! The values that are traced while a test runs, and those that settle it.

use serde_json::Value;

use super::source::ProvenanceSource;
use super::traced_value::{Normaliser, TracedValue};
use crate::select::ToolName;
use ananke_model::variables::Pattern;
use ananke_trace::trace::Path;

/// The values that are traced.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Traced {
    /// Arguments of calls; all of them without a path.
    Arguments { tool: ToolName, paths: Vec<Path> },
    /// The text that a pattern finds in the agent's messages.
    Said(Pattern),
}

/// A rule while a test runs.
pub(super) struct Tracing {
    pub(super) expected: String,
    pub(super) name: Option<String>,
    pub(super) of: Traced,
    pub(super) from: Vec<ProvenanceSource>,
    pub(super) not_from: Vec<ProvenanceSource>,
    pub(super) normaliser: Normaliser,
    pub(super) is_strict: bool,
}

impl Tracing {
    /// Whether a value is one that is written as a source, however short it is.
    pub(super) fn settles(&self, value: &TracedValue) -> bool {
        let mut literals = literals(&self.from)
            .filter_map(|literal| TracedValue::of_scalar(literal, &self.normaliser));
        literals.any(|literal| {
            literal.text == value.text || literal.number.is_some() && literal.number == value.number
        })
    }
}

/// The values that are written as sources.
pub(super) fn literals(sources: &[ProvenanceSource]) -> impl Iterator<Item = &Value> {
    sources.iter().flat_map(|source| match source {
        ProvenanceSource::Literal(values) => values.as_slice(),
        _ => &[],
    })
}
