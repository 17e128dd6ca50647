//! Regular expressions of files, with their references replaced (SPEC 2).

use super::interpolation::{Interpolation, TextPurpose};
use super::leaf::Leaf;
use super::pattern::{Pattern, PatternError};
use super::useless::{UselessMatch, useless_match};
use super::written_text::ComparedAs;
use crate::model::Text;
use ananke_base::diagnostic::{Code, Diagnostic};
use ananke_base::text::TextForm;

impl Interpolation<'_> {
    /// A regular expression; values are inserted escaped: variables are data, not patterns.
    ///
    /// # Errors
    /// If a variable is known later, or something is wrong, which was reported.
    pub fn pattern(&mut self, text: &Text) -> Leaf<Pattern> {
        self.pattern_in(TextForm::default(), text)
    }

    /// A regular expression whose text is brought into a form first.
    ///
    /// # Errors
    /// If a variable is known later, or something is wrong, which was reported.
    pub fn pattern_in(&mut self, form: TextForm, text: &Text) -> Leaf<Pattern> {
        let filled = self.replace(text, TextPurpose::Pattern)?;
        let filled = form.apply(&filled).into_owned();
        self.check_written(text, &filled, ComparedAs::Pattern)?;
        if self.is_draft() && self.waits(text) {
            return Ok(Pattern::as_written(&filled));
        }
        let useless = match useless_match(&filled) {
            Some(UselessMatch::Nothing) => Some(format!("`{filled}` can never match")),
            Some(UselessMatch::Everything) if text.value.is_empty() => {
                Some("an empty pattern matches everything".to_owned())
            }
            _ => None,
        };
        if let Some(message) = useless {
            let warning = self.at(
                Diagnostic::warning(Code::UselessPattern, message),
                text.span,
            );
            self.add(warning.help("write what the text must contain, or leave the pattern out"));
        }
        Pattern::check(&filled).map_err(|PatternError { message, help }| {
            self.report(Code::BadPattern, text.span, message, help)
        })
    }
}
