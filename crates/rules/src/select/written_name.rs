//! The exact name of a tool, and where it is written.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use super::tool_name;
use ananke_base::diagnostic::Span;
use ananke_model::model::Text;
use ananke_model::variables::{Interpolation, Leaf};

/// The exact name of a tool, and where it is written. Two are equal if the names are, so that a rule that is written twice is
/// the same rule.
#[derive(Clone, Debug)]
pub(crate) struct WrittenName {
    name: String,
    /// The place where it is written.
    pub(crate) span: Span,
}

impl WrittenName {
    /// Checks and fills a name.
    ///
    /// # Errors
    /// If it is known later or was reported.
    pub(crate) fn compile(written: &Text, interpolation: &mut Interpolation<'_>) -> Leaf<Self> {
        Ok(Self {
            name: tool_name(written, interpolation)?,
            span: written.span,
        })
    }
}

impl Deref for WrittenName {
    type Target = String;

    fn deref(&self) -> &String {
        &self.name
    }
}

impl fmt::Display for WrittenName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.name)
    }
}

impl PartialEq for WrittenName {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for WrittenName {}

impl Hash for WrittenName {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.name.hash(hasher);
    }
}
