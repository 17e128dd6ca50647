//! The meaning of the references of a text in a scope, and the messages about those without one.

use serde_json::Value;

use super::interpolation::{SPELLED_NUMBERS, TextPurpose, size};
use super::{
    Interpolation, Leaf, Lookup, MOST_INSERTED, MalformedReferences, Mode, NotReady, Piece,
    Reference, Secret, as_text, scan,
};
use crate::model::Text;
use ananke_base::diagnostic::{Code, Diagnostic, Span};
use ananke_base::source::{change_numbers, shortest, without_added_sign};
use ananke_base::text::nearest;

/// A reference to the environment as other tools write it: `env.NAME`, `process.env.NAME`; what is written for `ENV`, and the
/// name.
fn other_environment<'r>(reference: &Reference<'r>) -> Option<(&'static str, &'r str)> {
    match (reference.name, reference.path.as_slice()) {
        ("env", [name]) => Some(("env", name)),
        ("Env", [name]) => Some(("Env", name)),
        ("process", ["env", name]) => Some(("process.env", name)),
        _ => None,
    }
}

impl Interpolation<'_> {
    /// Whether references whose values are known later stay as they are written.
    pub(super) fn is_draft(&self) -> bool {
        self.mode == Mode::Draft
    }

    pub(super) fn lacks_environment(&self, text: &Text) -> bool {
        self.refers_to(&text.value, |found| {
            matches!(found, Lookup::MissingEnvironment(_))
        })
    }

    pub(super) fn refers_to_later(&self, text: &str) -> bool {
        self.refers_to(text, |found| *found == Lookup::Pending)
    }

    fn refers_to(&self, text: &str, is_sought: impl Fn(&Lookup<'_>) -> bool) -> bool {
        scan(text)
            .unwrap_or_default()
            .iter()
            .any(|piece| match piece {
                Piece::Reference(reference) => is_sought(&self.scope.look_up(reference)),
                Piece::Literal(_) => false,
            })
    }

    pub(super) fn replace(&mut self, text: &Text, purpose: TextPurpose) -> Leaf<String> {
        if !text.value.contains("${") {
            return Ok(text.value.clone());
        }
        let pieces = self.scan(&text.value, text.span, purpose)?;
        self.join(&pieces, &text.value, text.span, purpose)
    }

    /// A text as a JSON value: exactly one reference has the variable's own type.
    pub(super) fn json_of(&mut self, text: &str, span: Span) -> Leaf<Value> {
        let pieces = self.scan(text, span, TextPurpose::Text)?;
        if let [Piece::Reference(reference)] = pieces.as_slice() {
            return self.look_up(reference, text, span, TextPurpose::Text);
        }
        self.join(&pieces, text, span, TextPurpose::Text)
            .map(Value::String)
    }

    pub(super) fn scan<'t>(
        &mut self,
        text: &'t str,
        span: Span,
        purpose: TextPurpose,
    ) -> Leaf<Vec<Piece<'t>>> {
        let MalformedReferences { errors, references } = match scan(text) {
            Ok(pieces) => return Ok(pieces),
            Err(malformed) => malformed,
        };
        for error in errors {
            let place = self.inside(span, &text[error.range.clone()]);
            let help = "write `${NAME}` for a variable, or `$${` for the two characters themselves"
                .to_owned();
            self.report(Code::BadReference, place, error.message, Some(help));
        }
        // What else is wrong with the text is reported in the same round.
        for reference in references {
            let _ = self.look_up(&reference, text, span, purpose);
        }
        Err(NotReady::Invalid)
    }

    pub(super) fn join(
        &mut self,
        pieces: &[Piece<'_>],
        whole: &str,
        span: Span,
        purpose: TextPurpose,
    ) -> Leaf<String> {
        let mut joined = Ok(String::with_capacity(whole.len()));
        for piece in pieces {
            let text = match piece {
                Piece::Literal(text) => Ok((*text).to_owned()),
                Piece::Reference(reference) => {
                    match self.look_up(reference, whole, span, purpose) {
                        Err(NotReady::Pending) if self.is_draft() => {
                            Ok(whole[reference.range.clone()].to_owned())
                        }
                        found => found.map(|value| self.inserted(&value, reference, purpose)),
                    }
                }
            };
            joined = match (joined, text) {
                (Ok(joined), Ok(text)) => Ok(joined + &text),
                (Err(NotReady::Invalid), _) | (_, Err(NotReady::Invalid)) => Err(NotReady::Invalid),
                _ => Err(NotReady::Pending),
            };
        }
        joined
    }

    /// The text that replaces a reference.
    fn inserted(
        &mut self,
        value: &Value,
        reference: &Reference<'_>,
        purpose: TextPurpose,
    ) -> String {
        let text = self.text_of(value);
        match purpose {
            TextPurpose::Header => {
                if reference.default != Some(&text) {
                    self.add_given(reference, &text);
                }
                text
            }
            TextPurpose::Pattern => regex_syntax::escape(&text),
            TextPurpose::ValuePattern => {
                let spelled = regex_syntax::escape(&text);
                let mut short = value.clone();
                change_numbers(&mut short, shortest);
                let short = as_text(&short);
                if short == text || !self.source.is_since(SPELLED_NUMBERS) {
                    return spelled;
                }
                format!("(?:{spelled}|{})", regex_syntax::escape(&short))
            }
            TextPurpose::Text | TextPurpose::Sent => text,
        }
    }

    /// The text that a value becomes in the file: since 1.4 a number keeps its spelling.
    pub(super) fn text_of(&self, value: &Value) -> String {
        if !self.source.is_since(SPELLED_NUMBERS) {
            return as_text(value);
        }
        let mut value = value.clone();
        change_numbers(&mut value, without_added_sign);
        as_text(&value)
    }

    fn look_up(
        &mut self,
        reference: &Reference<'_>,
        whole: &str,
        span: Span,
        purpose: TextPurpose,
    ) -> Leaf<Value> {
        let scope = self.scope;
        let (missing, environment) = match scope.look_up(reference) {
            Lookup::Value(value) => {
                let room = self.room.ok_or(NotReady::Invalid)?;
                self.room = room.checked_sub(size(&value));
                if self.room.is_none() {
                    return Err(self.report_growth(whole, span, reference));
                }
                self.note(reference, &value);
                return Ok(value.into_owned());
            }
            Lookup::Pending => {
                self.warn_of_doubt(reference, whole, span);
                // In a draft it stays as it is written.
                self.has_pending |= !self.is_draft();
                return Err(NotReady::Pending);
            }
            Lookup::Missing(missing) => (missing, false),
            Lookup::MissingEnvironment(missing) => (missing, true),
        };
        let unsent = environment
            && self.mode.sends_nothing()
            && matches!(purpose, TextPurpose::Sent | TextPurpose::Header);
        if unsent && self.mode == Mode::Replay {
            return Ok(Value::String(whole[reference.range.clone()].to_owned()));
        }
        let place = self.inside(span, &whole[reference.range.clone()]);
        let problem = if unsent {
            Diagnostic::warning
        } else {
            Diagnostic::error
        };
        let mut problem = problem(Code::UndefinedVariable, missing).at(self.source, place, "");
        problem.help = if environment {
            vec![self.help_for_environment(reference.path[0])]
        } else if let Some((prefix, name)) = other_environment(reference) {
            let written = &whole[reference.range.clone()];
            if self.source.text.get(place.range()) == Some(written) {
                let meant = written.replacen(prefix, "ENV", 1);
                problem = problem.fix(self.source, place, meant);
            }
            vec![format!("the environment is `ENV`: write `${{ENV.{name}}}`")]
        } else if scope.environment_names().any(|name| name == reference.name) {
            vec![format!(
                "the environment has it: write `${{ENV.{}}}`",
                reference.name
            )]
        } else if let Some(meant) = scope.nearest_path(reference) {
            vec![format!("did you mean `${{{meant}}}`?")]
        } else {
            self.help_for_missing(reference.name)
        };
        self.add(problem);
        Err(NotReady::Invalid)
    }

    /// Warns of a reference without a default to a variable that may stay undefined.
    fn warn_of_doubt(&mut self, reference: &Reference<'_>, whole: &str, span: Span) {
        let Some(reason) = self.scope.reason_for_doubt(reference.name) else {
            return;
        };
        if reference.default.is_some() {
            return;
        }
        let message = format!("`{}` may be undefined: {reason}", reference.name);
        let help = format!("give a default: `${{{}:-none}}`", reference.name);
        let place = self.inside(span, &whole[reference.range.clone()]);
        let warning = Diagnostic::warning(Code::UndefinedVariable, message);
        self.add(warning.at(self.source, place, "").help(help));
    }

    /// Reports that too much would be inserted.
    fn report_growth(&mut self, whole: &str, span: Span, reference: &Reference<'_>) -> NotReady {
        let message = format!(
            "variables insert more than {} MiB here",
            MOST_INSERTED >> 20
        );
        let help = "write what is large to a file, and use its path".to_owned();
        let place = self.inside(span, &whole[reference.range.clone()]);
        self.report(Code::LimitExceeded, place, message, Some(help))
    }

    /// Notes what a reference gave, where that is to be known. A default is written in the file and no secret.
    fn note(&mut self, reference: &Reference<'_>, value: &Value) {
        if self.used.is_none() {
            return;
        }
        let text = self.text_of(value);
        if let Some(used) = &mut self.used
            && reference.default != Some(text.as_str())
        {
            used.push(Secret::given(reference, &text));
        }
    }

    /// The remedies for a name that nothing defines.
    fn help_for_missing(&self, wanted: &str) -> Vec<String> {
        if let Some(help) = self.scope.help_for_later(wanted) {
            return vec![help.to_owned()];
        }
        let hint = self
            .scope
            .hint_for_missing()
            .filter(|_| !self.scope.knows(wanted))
            .map(str::to_owned);
        let help = match nearest(wanted, self.scope.names()) {
            Some(name) => Some(format!("did you mean `${{{name}}}`?")),
            None if hint.is_some() => None,
            None => Some(format!(
                "define it, give a default with `${{{wanted}:-…}}`, or write `$${{` if the two characters are meant"
            )),
        };
        hint.into_iter().chain(help).collect()
    }

    /// The remedy for a variable that the environment does not have.
    fn help_for_environment(&self, wanted: &str) -> String {
        match nearest(wanted, self.scope.environment_names()) {
            Some(name) => format!("did you mean `${{ENV.{name}}}`?"),
            None => format!("set it, or give a default: `${{ENV.{wanted}:-…}}`"),
        }
    }

    /// The place of `part` inside `span`, or all of it where quoting hides the part.
    pub(super) fn inside(&self, span: Span, part: &str) -> Span {
        let whole = self.source.text.get(span.range()).unwrap_or("");
        match whole.find(part) {
            Some(offset) => Span::new(
                span.start as usize + offset,
                span.start as usize + offset + part.len(),
            ),
            None => span,
        }
    }
}
