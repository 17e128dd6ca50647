//! The texts of the agent that a rule compares, and their form.

use ananke_base::text::TextForm;
use ananke_model::model::{AssertBlock, TextOf};

/// The texts of the agent that a rule compares, and their form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ComparedText {
    /// The texts.
    pub(crate) of: TextOf,
    /// Whether what must not occur must not occur in texts next to the answer either (SPEC 13).
    pub(crate) looks_beside: bool,
    /// The form of these texts, and of those that are written.
    pub(crate) form: TextForm,
}

impl ComparedText {
    /// The setting of a block for its rules.
    pub(super) fn of(block: &AssertBlock) -> Self {
        Self {
            of: block.text_of().unwrap_or_default(),
            looks_beside: matches!(block.text_of(), None | Some(TextOf::Everything)),
            form: block.text_form(),
        }
    }

    /// The form in words, after the description of a rule; empty if texts are compared as they are.
    pub(super) fn note(self) -> &'static str {
        match (self.form.is_composed, self.form.is_visible) {
            (false, false) => "",
            (true, false) => ", in composed form",
            (false, true) => ", without invisible characters",
            (true, true) => ", in composed form without invisible characters",
        }
    }
}
