//! Fills the leaves of the model from a scope, and reports every problem at its place.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use super::{
    Leaf, Mode, NotReady, Reference, SHORTEST_SECRET, Scope, Secret, credentials, fill_all,
    has_credentials, is_secret_header, is_secret_value,
};
use crate::model::{Decimal, Flag, Number, Scalar, Text, WholeNumber};
use ananke_base::context::absolute_at;
use ananke_base::diagnostic::{Code, Diagnostic, Place, SourceFile, Span, Spanned};
use ananke_base::source::{Node, NodeValue, rounded};

/// An endpoint where nothing is: RFC 2606 keeps the name free for good.
const NOWHERE: &str = "http://replayed.invalid/";

/// The schema version from which a number that becomes text keeps its spelling.
pub const SPELLED_NUMBERS: (u32, u32) = (1, 4);

/// The most bytes that variables may insert into texts that are filled together, such as one variable or one turn: twice
/// the most that a hook may print.
pub const MOST_INSERTED: usize = 16 << 20;

/// Fills leaves of one file from one scope.
pub struct Interpolation<'a> {
    pub(super) scope: &'a Scope,
    pub(super) source: &'a Arc<SourceFile>,
    pub(super) mode: Mode,
    /// `None` if another pass over the same leaves reports them.
    problems: Option<&'a mut Vec<Diagnostic>>,
    pub(super) secrets: Vec<Secret>,
    /// The values that references gave, if they are to be known.
    pub(super) used: Option<Vec<Secret>>,
    /// The number of bytes that references may still insert; `None` once it was reported that it was too much.
    pub(super) room: Option<usize>,
    /// Whether something was looked up that is known later.
    pub(super) has_pending: bool,
}

/// The purpose of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TextPurpose {
    Text,
    Pattern,
    /// A pattern for values in arguments, results or the state, where a number may have another spelling.
    ValuePattern,
    Sent,
    Header,
}

impl<'a> Interpolation<'a> {
    /// Fills from `scope` the leaves of `source`; problems go to `problems`.
    pub fn new(
        scope: &'a Scope,
        source: &'a Arc<SourceFile>,
        mode: Mode,
        problems: &'a mut Vec<Diagnostic>,
    ) -> Self {
        Self {
            problems: Some(problems),
            ..Self::again(scope, source, mode)
        }
    }

    /// Fills from `scope` leaves of `source` that are filled elsewhere too, where their problems are reported.
    pub fn again(scope: &'a Scope, source: &'a Arc<SourceFile>, mode: Mode) -> Self {
        Self {
            scope,
            source,
            mode,
            problems: None,
            secrets: Vec::new(),
            used: None,
            room: Some(MOST_INSERTED),
            has_pending: false,
        }
    }

    /// Fills leaves of another file from the same scope.
    pub fn in_file(&mut self, source: &Arc<SourceFile>, fill: impl FnOnce(&mut Interpolation<'_>)) {
        let mut other = Interpolation {
            scope: self.scope,
            source,
            mode: self.mode,
            problems: self.problems.as_deref_mut(),
            secrets: std::mem::take(&mut self.secrets),
            used: None,
            room: self.room,
            has_pending: self.has_pending,
        };
        fill(&mut other);
        (self.secrets, self.room, self.has_pending) =
            (other.secrets, other.room, other.has_pending);
    }

    /// The same where references may insert only `room` more bytes; nothing, without another report, if it is `None`.
    #[must_use]
    pub fn with_room(self, room: Option<usize>) -> Self {
        Self { room, ..self }
    }

    /// The number of bytes that references may still insert; `None` once it was reported that it was too much.
    pub fn room(&self) -> Option<usize> {
        self.room
    }

    /// The values that must be masked wherever they are shown.
    pub fn into_secrets(self) -> Vec<Secret> {
        self.secrets
    }

    /// Whether something that was to be filled is known later.
    pub fn has_pending(&self) -> bool {
        self.has_pending
    }

    /// The number of problems that were reported by now, here and elsewhere.
    pub fn problem_count(&self) -> usize {
        self.problems.as_ref().map_or(0, |problems| problems.len())
    }

    /// The file that the leaves are of.
    pub fn source(&self) -> &Arc<SourceFile> {
        self.source
    }

    /// The place of `span`.
    pub fn place(&self, span: Span) -> Place {
        self.source.place(span)
    }

    /// Reports a problem at `span`: the leaf there is invalid.
    pub fn report(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        help: Option<String>,
    ) -> NotReady {
        let mut diagnostic = Diagnostic::error(code, message).at(self.source, span, "");
        diagnostic.help.extend(help);
        self.add(diagnostic);
        NotReady::Invalid
    }

    /// Reports a problem that may be of another file.
    pub fn add(&mut self, problem: Diagnostic) {
        if let Some(problems) = &mut self.problems {
            problems.push(problem);
        }
    }

    /// Puts a problem at `span`.
    pub fn at(&self, problem: Diagnostic, span: Span) -> Diagnostic {
        problem.at(self.source, span, "")
    }

    /// A text with its references replaced.
    ///
    /// # Errors
    /// If a variable is known later, or something is wrong, which was reported.
    pub fn text(&mut self, text: &Text) -> Leaf<String> {
        self.replace(text, TextPurpose::Text)
    }

    /// A text that is needed only when requests are sent: an endpoint, an argument of a server.
    ///
    /// # Errors
    /// If a variable is known later, or something is wrong, which was reported.
    pub fn sent_text(&mut self, text: &Text) -> Leaf<String> {
        if self.mode == Mode::Replay && self.lacks_environment(text) {
            return Ok(NOWHERE.to_owned());
        }
        self.replace(text, TextPurpose::Sent)
    }

    /// The value of a header: whatever is put into it by a reference is a secret (SPEC 2), but for a default.
    ///
    /// # Errors
    /// If a variable is known later, or something is wrong, which was reported.
    pub fn header(&mut self, name: &str, text: &Text) -> Leaf<String> {
        self.check_sent(text);
        let known = self.secrets.len();
        let value = self.replace(text, TextPurpose::Header)?;
        if is_secret_header(name) {
            self.add_written(&format!("headers.{name}"), &value);
        }
        self.warn_of_short_secrets(known, &format!("header `{name}`"), text.span);
        self.require_values(&format!("the header `{name}`"), text)?;
        Ok(value)
    }

    /// The value at `place`, such as `auth.token`, which is a secret, also as a literal.
    ///
    /// # Errors
    /// If a variable is known later, or something is wrong, which was reported.
    pub fn credential(&mut self, place: &str, text: &Text) -> Leaf<String> {
        self.check_sent(text);
        let known = self.secrets.len();
        let value = self.replace(text, TextPurpose::Header)?;
        self.add_written(place, &value);
        self.warn_of_short_secrets(known, &format!("key `{place}`"), text.span);
        self.require_values(&format!("`{place}`"), text)?;
        Ok(value)
    }

    /// The value at `place` is a secret if it looks like one: its name says so (SPEC 14).
    pub fn add_named_secret(&mut self, place: &str, value: &str) {
        if is_secret_value(value) {
            self.add_written(place, value);
        }
    }

    /// A secret that is written in the file at `place`, and its parts.
    fn add_written(&mut self, place: &str, value: &str) {
        if !has_credentials(value) {
            return;
        }
        let whole = Secret::written(place, value);
        // `Bearer abc`: the token alone is as secret as the whole.
        self.secrets.push(whole.clone());
        self.secrets
            .extend(credentials(value).into_iter().map(|part| whole.part(part)));
    }

    /// A secret that `reference` gives: its value, the parts of it, and what its variable was made of.
    pub(super) fn add_given(&mut self, reference: &Reference<'_>, value: &str) {
        if !has_credentials(value) {
            return;
        }
        let given = Secret::given(reference, value);
        self.secrets.extend(self.scope.origins().within(&given));
        self.secrets
            .extend(credentials(value).into_iter().map(|part| given.part(part)));
        self.secrets.push(given);
    }

    /// Warns if one of the secrets after the first `known` cannot be masked; `place` is where they are, for messages.
    pub(super) fn warn_of_short_secrets(&mut self, known: usize, place: &str, span: Span) {
        let short = |secret: &Secret| !secret.value.is_empty() && secret.is_short();
        if self.secrets[known..].iter().any(short) {
            let message = format!("a secret of the {place} is too short to be masked");
            let help = format!(
                "secrets of at least {SHORTEST_SECRET} characters are masked in everything that is printed"
            );
            let warning = Diagnostic::warning(Code::ShortSecret, message);
            self.add(warning.at(self.source, span, "").help(help));
        }
    }

    /// A free JSON value, and what the references in it gave.
    pub fn json_with_origins(&mut self, node: &Node) -> (Leaf<Value>, Vec<Secret>) {
        let outer = self.used.replace(Vec::new());
        let value = self.json(node);
        let used = std::mem::replace(&mut self.used, outer).unwrap_or_default();
        (value, used)
    }

    /// A path, relative to the directory of the file; `~` at its start is the home directory.
    ///
    /// # Errors
    /// If a variable is known later, or something is wrong, which was reported.
    pub fn path(&mut self, path: &Text) -> Leaf<PathBuf> {
        let filled = self.text(path)?;
        let folder = self.source.path.parent().unwrap_or(Path::new(""));
        Ok(absolute_at(self.scope.home(), folder, Path::new(&filled)))
    }

    /// A whole number.
    ///
    /// # Errors
    /// If a variable is known later, or something is wrong, which was reported.
    pub fn number<T: WholeNumber>(&mut self, number: &Spanned<Scalar<T>>) -> Leaf<u64> {
        self.scalar(&number.value, number.span)
    }

    /// A whole number that is part of another leaf.
    ///
    /// # Errors
    /// If a variable is known later, or something is wrong, which was reported.
    pub fn scalar<T: WholeNumber>(&mut self, scalar: &Scalar<T>, span: Span) -> Leaf<u64> {
        let reference = match scalar {
            Scalar::Literal(value) => return Ok(value.get()),
            Scalar::Reference(reference) => reference,
        };
        let value = self.json_of(reference, span)?;
        let number = value
            .as_u64()
            .or_else(|| value.as_str().and_then(|text| text.parse().ok()));
        if let Some(small) = number.filter(|number| *number < T::LEAST) {
            let message = format!("must be at least {}, `{reference}` gives {small}", T::LEAST);
            return Err(self.report(Code::BadValue, span, message, None));
        }
        number.ok_or_else(|| {
            let message = format!(
                "expected a whole number, `{reference}` gives `{}`",
                as_text(&value)
            );
            self.report(Code::WrongType, span, message, None)
        })
    }

    /// A number with or without a fraction: of a variable also as a text.
    ///
    /// # Errors
    /// If a variable is known later, or something is wrong, which was reported.
    pub fn decimal(&mut self, number: &Decimal) -> Leaf<serde_json::Number> {
        let reference = match &number.value {
            Scalar::Literal(value) => return Ok(value.clone()),
            Scalar::Reference(reference) => reference,
        };
        let value = as_text(&self.json_of(reference, number.span)?);
        value.parse().map_err(|_| {
            let message = format!("expected a number, `{reference}` gives `{value}`");
            self.report(Code::WrongType, number.span, message, None)
        })
    }

    /// A whole number in `range`, or `default` if it is not written.
    ///
    /// # Errors
    /// If a variable is known later, or something is wrong, which was reported.
    pub fn number_or<N: TryFrom<u64>>(
        &mut self,
        number: Option<&Number>,
        range: RangeInclusive<u64>,
        default: u64,
    ) -> Leaf<N> {
        match number {
            Some(number) => self.number_within(number, range),
            None => N::try_from(default).map_err(|_| NotReady::Invalid),
        }
    }

    /// A whole number in `range`, of a type that has room for it.
    ///
    /// # Errors
    /// If a variable is known later, or something is wrong, which was reported.
    pub fn number_within<N: TryFrom<u64>>(
        &mut self,
        number: &Number,
        range: RangeInclusive<u64>,
    ) -> Leaf<N> {
        let value = self.number(number)?;
        if range.contains(&value)
            && let Ok(value) = N::try_from(value)
        {
            return Ok(value);
        }
        let least = range.start();
        let help = match range.end() {
            &u64::MAX => format!("expected a whole number from {least}"),
            most => format!("expected a whole number from {least} to {most}"),
        };
        Err(self.report(
            Code::BadValue,
            number.span,
            format!("`{value}` is out of range"),
            Some(help),
        ))
    }

    /// A truth value: of a variable also as a text.
    ///
    /// # Errors
    /// If a variable is known later, or something is wrong, which was reported.
    pub fn flag(&mut self, flag: &Flag) -> Leaf<bool> {
        let reference = match &flag.value {
            Scalar::Literal(value) => return Ok(*value),
            Scalar::Reference(reference) => reference,
        };
        let value = as_text(&self.json_of(reference, flag.span)?);
        value.parse().map_err(|_| {
            let message = format!("expected `true` or `false`, `{reference}` gives `{value}`");
            self.report(Code::WrongType, flag.span, message, None)
        })
    }

    /// A free JSON value; a string that is exactly one reference takes the variable's own type.
    ///
    /// # Errors
    /// If a variable is known later, or something is wrong, which was reported.
    pub fn json(&mut self, node: &Node) -> Leaf<Value> {
        match &node.value {
            NodeValue::String(text) => match self.json_of(text, node.span) {
                // A value that is known later stays as it is written.
                Err(NotReady::Pending) if self.is_draft() => Ok(Value::String(text.clone())),
                filled => filled,
            },
            // Every entry is filled, so that every problem is reported.
            NodeValue::List(items) => fill_all(items, |item| self.json(item)).map(Value::Array),
            NodeValue::Map(entries) => fill_all(entries, |entry| {
                Ok((entry.key.clone(), self.json(&entry.value)?))
            })
            .map(Value::Object),
            NodeValue::Number(number) if !self.source.is_since(SPELLED_NUMBERS) => {
                Ok(Value::Number(rounded(number)))
            }
            _ => Ok(node.to_json()),
        }
    }

    /// Whether `text` refers to something that is known later.
    pub fn waits(&self, text: &Text) -> bool {
        self.refers_to_later(&text.value)
    }

    /// Whether something in `node` is known later.
    pub fn json_waits(&self, node: &Node) -> bool {
        match &node.value {
            NodeValue::String(text) => self.refers_to_later(text),
            NodeValue::List(items) => items.iter().any(|item| self.json_waits(item)),
            NodeValue::Map(entries) => entries.iter().any(|entry| self.json_waits(&entry.value)),
            _ => false,
        }
    }

    /// A number as it is written, if its value is known later.
    pub fn written_number<T>(&self, number: &Spanned<Scalar<T>>) -> Option<String> {
        let Scalar::Reference(reference) = &number.value else {
            return None;
        };
        (self.is_draft() && self.refers_to_later(reference)).then(|| reference.clone())
    }
}

/// The approximate number of bytes of `value`.
pub(super) fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(|item| 8 + size(item)).sum(),
        Value::Object(entries) => entries
            .iter()
            .map(|(key, value)| 8 + key.len() + size(value))
            .sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
    }
}

/// A value inside other text: strings as they are, everything else as compact JSON.
pub fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
