//! Fills the leaves of the model from a scope, and collects every problem with its place.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::mode::Mode;
use super::pattern::{Pattern, PatternError};
use super::scan::{Malformed, Piece, Reference, scan};
use super::scope::{Found, Scope};
use super::secret::{self, SHORTEST_SECRET, Secret};
use crate::diagnostic::{Code, Diagnostic, Place, SourceFile, Span};
use crate::model::{Flag, Given, Number, Text};
use crate::source::{Node, NodeValue};
use crate::text::nearest;

/// An endpoint where nothing is: RFC 2606 keeps the name free for good.
const NOWHERE: &str = "http://replayed.invalid/";

/// A leaf that is filled, or will be.
#[derive(Clone, Debug, PartialEq)]
pub enum Late<T> {
    /// Filled.
    Ready(T),
    /// Something it needs is known later, or a problem with it was reported.
    Pending,
}

impl<T> Late<T> {
    /// The value, where there is one now.
    pub fn ready(self) -> Option<T> {
        match self {
            Self::Ready(value) => Some(value),
            Self::Pending => None,
        }
    }

    /// A leaf that may be left out: what is not there is ready.
    pub fn optional(leaf: Option<Self>) -> Late<Option<T>> {
        match leaf {
            None => Late::Ready(None),
            Some(Self::Ready(value)) => Late::Ready(Some(value)),
            Some(Self::Pending) => Late::Pending,
        }
    }
}

/// Fills leaves of one file from one scope.
pub struct Filling<'a> {
    scope: &'a Scope,
    source: &'a Arc<SourceFile>,
    mode: Mode,
    problems: &'a mut Vec<Diagnostic>,
    secrets: Vec<Secret>,
    /// Whether something was looked up that is known later.
    has_waited: bool,
}

impl<'a> Filling<'a> {
    /// Fills from `scope` the leaves of `source`; problems go to `problems`.
    pub fn new(
        scope: &'a Scope,
        source: &'a Arc<SourceFile>,
        mode: Mode,
        problems: &'a mut Vec<Diagnostic>,
    ) -> Self {
        Self { scope, source, mode, problems, secrets: Vec::new(), has_waited: false }
    }

    /// Fills leaves of another file from the same scope.
    pub fn in_file(&mut self, source: &Arc<SourceFile>, fill: impl FnOnce(&mut Filling<'_>)) {
        let mut other = Filling {
            scope: self.scope,
            source,
            mode: self.mode,
            problems: &mut *self.problems,
            secrets: std::mem::take(&mut self.secrets),
            has_waited: self.has_waited,
        };
        fill(&mut other);
        (self.secrets, self.has_waited) = (other.secrets, other.has_waited);
    }

    /// Whether references whose values are known later stay as they are written.
    fn is_draft(&self) -> bool {
        self.mode == Mode::Draft
    }

    /// The values that must be masked wherever they are told.
    pub fn into_secrets(self) -> Vec<Secret> {
        self.secrets
    }

    /// Whether something that was to be filled is known later.
    pub fn has_waited(&self) -> bool {
        self.has_waited
    }

    /// The file that the leaves are of.
    pub fn source(&self) -> &Arc<SourceFile> {
        self.source
    }

    /// Where `span` is.
    pub fn place(&self, span: Span) -> Place {
        self.source.place(span)
    }

    /// Reports a problem at `span`.
    pub fn report(&mut self, code: Code, span: Span, message: impl Into<String>, help: Option<String>) {
        let mut diagnostic = Diagnostic::error(code, message).at(self.source, span, "");
        diagnostic.help.extend(help);
        self.problems.push(diagnostic);
    }

    /// Reports a problem that may be of another file.
    pub fn add(&mut self, problem: Diagnostic) {
        self.problems.push(problem);
    }

    /// Puts a problem at `span`.
    pub fn at(&self, problem: Diagnostic, span: Span) -> Diagnostic {
        problem.at(self.source, span, "")
    }

    /// A text with its references replaced.
    pub fn text(&mut self, text: &Text) -> Late<String> {
        self.replace(text, Kind::Text).map_or(Late::Pending, Late::Ready)
    }

    /// A text that counts only when something is sent: an endpoint, a word of a server.
    pub fn sent_text(&mut self, text: &Text) -> Late<String> {
        if self.mode == Mode::Replay && self.lacks_environment(text) {
            return Late::Ready(NOWHERE.to_owned());
        }
        self.replace(text, Kind::Sent).map_or(Late::Pending, Late::Ready)
    }

    /// The value of a header: whatever is put into it by a reference is a secret (SPEC 2), but for a default.
    pub fn header(&mut self, name: &str, text: &Text) -> Late<String> {
        let known = self.secrets.len();
        let Some(value) = self.replace(text, Kind::Header) else { return Late::Pending };
        if secret::is_in_header(name) {
            self.secrets.push(Secret::written(name, &value));
            // `Bearer abc`: the token alone is as secret as the whole.
            if let Some((_, token)) = value.split_once(' ') {
                self.secrets.push(Secret::written(name, token.trim()));
            }
        }
        let short = |secret: &Secret| !secret.value.is_empty() && secret.is_short();
        if self.secrets[known..].iter().any(short) {
            let message = format!("a secret of the header `{name}` is too short to be masked");
            let help = format!(
                "secrets of at least {SHORTEST_SECRET} characters are masked in everything that is printed"
            );
            self.problems.push(
                Diagnostic::warning(Code::ShortSecret, message).at(self.source, text.span, "").help(help),
            );
        }
        Late::Ready(value)
    }

    /// A regular expression; values are inserted escaped: variables are data, not patterns.
    pub fn pattern(&mut self, text: &Text) -> Late<Pattern> {
        let Some(filled) = self.replace(text, Kind::Pattern) else { return Late::Pending };
        if self.is_draft() && self.waits(text) {
            return Late::Ready(Pattern::as_written(&filled));
        }
        match Pattern::check(&filled) {
            Ok(pattern) => Late::Ready(pattern),
            Err(PatternError { message, help }) => {
                self.report(Code::BadPattern, text.span, message, help);
                Late::Pending
            }
        }
    }

    /// A whole number.
    pub fn number(&mut self, number: &Number) -> Late<u64> {
        self.given(&number.value, number.span)
    }

    /// A whole number that is part of another leaf.
    pub fn given(&mut self, given: &Given<u64>, span: Span) -> Late<u64> {
        let reference = match given {
            Given::Literal(value) => return Late::Ready(*value),
            Given::Reference(reference) => reference,
        };
        let Some(value) = self.json_of(reference, span) else { return Late::Pending };
        let number = value.as_u64().or_else(|| value.as_str().and_then(|text| text.parse().ok()));
        let Some(number) = number else {
            self.report(
                Code::WrongType,
                span,
                format!("expected a whole number, `{reference}` gives `{}`", as_text(&value)),
                None,
            );
            return Late::Pending;
        };
        Late::Ready(number)
    }

    /// A truth value: of a variable also as a text.
    pub fn flag(&mut self, flag: &Flag) -> Late<bool> {
        let reference = match &flag.value {
            Given::Literal(value) => return Late::Ready(*value),
            Given::Reference(reference) => reference,
        };
        let Some(value) = self.json_of(reference, flag.span) else { return Late::Pending };
        match as_text(&value).as_str() {
            "true" => Late::Ready(true),
            "false" => Late::Ready(false),
            other => {
                let message = format!("expected `true` or `false`, `{reference}` gives `{other}`");
                self.report(Code::WrongType, flag.span, message, None);
                Late::Pending
            }
        }
    }

    /// A free JSON value; a string that is exactly one reference takes the variable's own type.
    pub fn json(&mut self, node: &Node) -> Late<Value> {
        self.json_node(node).map_or(Late::Pending, Late::Ready)
    }

    /// The same for a leaf that may be left out.
    pub fn optional_json(&mut self, node: Option<&Node>) -> Late<Option<Value>> {
        Late::optional(node.map(|node| self.json(node)))
    }

    fn json_node(&mut self, node: &Node) -> Option<Value> {
        match &node.value {
            NodeValue::String(text) => self.json_of(text, node.span).or_else(|| {
                // What is known later stands for itself.
                (self.is_draft() && self.refers_to_later(text)).then(|| Value::String(text.clone()))
            }),
            NodeValue::List(items) => {
                let filled: Vec<Option<Value>> = items.iter().map(|item| self.json_node(item)).collect();
                filled.into_iter().collect::<Option<Vec<_>>>().map(Value::Array)
            }
            NodeValue::Map(entries) => {
                // Every entry is filled, so that every problem is reported.
                let filled: Vec<Option<(String, Value)>> = entries
                    .iter()
                    .map(|entry| Some((entry.key.clone(), self.json_node(&entry.value)?)))
                    .collect();
                filled.into_iter().collect::<Option<Map<_, _>>>().map(Value::Object)
            }
            _ => Some(node.to_json()),
        }
    }

    fn json_of(&mut self, text: &str, span: Span) -> Option<Value> {
        let pieces = self.scan(text, span, Kind::Text)?;
        if let [Piece::Reference(reference)] = pieces.as_slice() {
            return self.look_up(reference, text, span, Kind::Text);
        }
        self.join(&pieces, text, span, Kind::Text).map(Value::String)
    }

    fn replace(&mut self, text: &Text, kind: Kind) -> Option<String> {
        if !text.value.contains("${") {
            return Some(text.value.clone());
        }
        let pieces = self.scan(&text.value, text.span, kind)?;
        self.join(&pieces, &text.value, text.span, kind)
    }

    /// Whether `text` refers to something that is known later.
    pub fn waits(&self, text: &Text) -> bool {
        self.refers_to_later(&text.value)
    }

    fn lacks_environment(&self, text: &Text) -> bool {
        let pieces = scan(&text.value).unwrap_or_default();
        pieces.iter().any(|piece| match piece {
            Piece::Reference(reference) => {
                matches!(self.scope.look_up(reference), Found::MissingEnvironment(_))
            }
            Piece::Literal(_) => false,
        })
    }

    fn refers_to_later(&self, text: &str) -> bool {
        let pieces = scan(text).unwrap_or_default();
        pieces.iter().any(|piece| matches!(piece, Piece::Reference(reference) if self.is_later(reference)))
    }

    fn is_later(&self, reference: &Reference<'_>) -> bool {
        self.scope.look_up(reference) == Found::Pending
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

    /// A number as it is written, where its value is known later and it is to stand for itself.
    pub fn written_number(&self, number: &Number) -> Option<String> {
        let Given::Reference(reference) = &number.value else { return None };
        let pieces = scan(reference).unwrap_or_default();
        let is_later =
            |piece: &Piece<'_>| matches!(piece, Piece::Reference(reference) if self.is_later(reference));
        (self.is_draft() && pieces.iter().any(is_later)).then(|| reference.clone())
    }

    fn scan<'t>(&mut self, text: &'t str, span: Span, kind: Kind) -> Option<Vec<Piece<'t>>> {
        let Malformed { errors, references } = match scan(text) {
            Ok(pieces) => return Some(pieces),
            Err(malformed) => malformed,
        };
        for error in errors {
            let place = self.inside(span, &text[error.range.clone()]);
            let help =
                "write `${NAME}` for a variable, or `$${` for the two characters themselves".to_owned();
            self.report(Code::BadReference, place, error.message, Some(help));
        }
        // What else is wrong with the text is told in the same round.
        for reference in references {
            self.look_up(&reference, text, span, kind);
        }
        None
    }

    fn join(&mut self, pieces: &[Piece<'_>], whole: &str, span: Span, kind: Kind) -> Option<String> {
        let mut joined = String::with_capacity(whole.len());
        let mut complete = true;
        for piece in pieces {
            match piece {
                Piece::Literal(text) => joined.push_str(text),
                Piece::Reference(reference) if self.is_draft() && self.is_later(reference) => {
                    joined.push_str(&whole[reference.range.clone()]);
                }
                Piece::Reference(reference) => match self.look_up(reference, whole, span, kind) {
                    Some(value) if kind == Kind::Pattern => {
                        joined.push_str(&regex_syntax::escape(&as_text(&value)));
                    }
                    Some(value) => {
                        let text = as_text(&value);
                        if kind == Kind::Header && reference.default != Some(text.as_str()) {
                            self.secrets.push(Secret::given(reference, &text));
                        }
                        joined.push_str(&text);
                    }
                    None => complete = false,
                },
            }
        }
        complete.then_some(joined)
    }

    fn look_up(&mut self, reference: &Reference<'_>, whole: &str, span: Span, kind: Kind) -> Option<Value> {
        let (missing, environment) = match self.scope.look_up(reference) {
            Found::Value(value) => return Some(value.into_owned()),
            Found::Pending => {
                self.has_waited = true;
                return None;
            }
            Found::Missing(missing) => (missing, false),
            Found::MissingEnvironment(missing) => (missing, true),
        };
        let unsent = environment && self.mode.sends_nothing() && matches!(kind, Kind::Sent | Kind::Header);
        if unsent && self.mode == Mode::Replay {
            return Some(Value::String(whole[reference.range.clone()].to_owned()));
        }
        let place = self.inside(span, &whole[reference.range.clone()]);
        let sought = if environment { reference.path[0] } else { reference.name };
        let nearest = if environment {
            nearest(sought, self.scope.environment_names())
        } else {
            nearest(sought, self.scope.names())
        };
        let hint = self.scope.hint_for_missing().filter(|_| !environment && !self.scope.knows(sought));
        let nearest = match nearest {
            Some(name) if environment => format!("did you mean `${{ENV.{name}}}`?"),
            Some(name) => format!("did you mean `${{{name}}}`?"),
            None if environment => {
                format!("set it, or give a default: `${{ENV.{sought}:-…}}`")
            }
            None if hint.is_some() => String::new(),
            None => format!(
                "define it, give a default with `${{{sought}:-…}}`, or write `$${{` for the two characters themselves"
            ),
        };
        let help = [hint.unwrap_or_default(), &nearest].map(str::to_owned);
        let diagnostic = if unsent {
            Diagnostic::warning(Code::UndefinedVariable, missing)
        } else {
            Diagnostic::error(Code::UndefinedVariable, missing)
        };
        let mut diagnostic = diagnostic.at(self.source, place, "");
        diagnostic.help.extend(help.into_iter().filter(|sentence| !sentence.is_empty()));
        self.problems.push(diagnostic);
        None
    }

    /// The place of `part` inside `span`, or all of it where quoting hides the part.
    fn inside(&self, span: Span, part: &str) -> Span {
        let whole = self.source.text.get(span.start as usize..span.end as usize).unwrap_or("");
        match whole.find(part) {
            Some(offset) => {
                Span::new(span.start as usize + offset, span.start as usize + offset + part.len())
            }
            None => span,
        }
    }
}

/// What a text is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Pattern,
    Sent,
    Header,
}

/// A value inside other text: strings as they are, everything else as compact JSON.
pub fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
