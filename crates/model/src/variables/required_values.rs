//! Texts that need a value of each variable in them: an unset secret of a CI job, or of a pull request from a fork, is an empty text.
//!
//! Flows in: a text that goes into a header, `auth`, an address, or a secret variable of a program. Flows out: a problem for each
//! reference in it that is empty or blank. `${NAME:-}` says that empty is meant (SPEC 2).
//!
//! **Always:** a file of a version before 1.4 keeps its meaning: it gets a warning.

use std::ops::Range;

use super::empty_variable::EmptyVariable;
use super::{Interpolation, Leaf, Mode, NotReady, Piece, scan};
use crate::model::Text;
use ananke_base::diagnostic::{Code, Diagnostic};

/// The version since which empty is undefined.
const EMPTY_IS_UNDEFINED: (u32, u32) = (1, 4);

impl Interpolation<'_> {
    /// Reports each reference in `text` whose value is empty or blank; messages call the place that needs one `place`.
    ///
    /// # Errors
    /// If there is one, in a file of version 1.4 or newer.
    pub fn require_values(&mut self, place: &str, text: &Text) -> Leaf<()> {
        if matches!(self.mode, Mode::Replay | Mode::Draft) {
            return Ok(());
        }
        let scope = self.scope;
        let mut required = Ok(());
        for piece in scan(&text.value).unwrap_or_default() {
            if let Piece::Reference(reference) = piece
                && let Some(empty) = scope.empty_variable(&reference)
            {
                let written = reference.range.clone();
                required = required.and(self.report_empty(place, text, written, &empty));
            }
        }
        required
    }

    fn report_empty(
        &mut self,
        place: &str,
        text: &Text,
        written: Range<usize>,
        empty: &EmptyVariable,
    ) -> Leaf<()> {
        let message = empty.message(place);
        let is_error = self.source.is_since(EMPTY_IS_UNDEFINED);
        let problem = if !is_error {
            let message = format!("{message}; since version 1.4, that is an error");
            Diagnostic::warning(Code::Since14, message)
        } else if self.mode == Mode::Check && empty.environment().is_some() {
            // As if it were not set: where the tests run, it may be there.
            Diagnostic::warning(Code::EmptyVariable, message)
        } else {
            Diagnostic::error(Code::EmptyVariable, message)
        };
        let span = self.inside(text.span, &text.value[written]);
        let problem = problem.at(self.source, span, "").help(empty.help());
        self.add(problem);
        if is_error {
            Err(NotReady::Invalid)
        } else {
            Ok(())
        }
    }
}
