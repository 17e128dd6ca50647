//! The secrets that a config names: variables by their names, and texts by patterns.

use std::sync::Arc;

use serde_json::Value;

use ananke_base::diagnostic::{Code, Diagnostic, SourceFile};
use ananke_base::source::printable;
use ananke_model::model::{RedactEntry, RedactMatch, Text};
use ananke_model::variables::{
    Interpolation, Lookup, Mode, Pattern, Patterns, Reference, SHORTEST_SECRET, Scope, Secret,
    is_name,
};
use ananke_trace::redact::Redactor;

/// The texts that are masked in addition to headers.
#[derive(Clone, Debug, Default)]
pub struct Redactions {
    names: Vec<Text>,
    patterns: Vec<Pattern>,
}

impl Redactions {
    /// Reads the `redact` entries of the config in `source`; what is wrong with one goes to `problems`. What is known in `scope` already and too
    /// short to be masked is warned of.
    pub(super) fn of(
        written: Option<&Vec<RedactEntry>>,
        source: &Arc<SourceFile>,
        scope: &Scope,
        problems: &mut Vec<Diagnostic>,
    ) -> Self {
        let mut interpolation = Interpolation::new(scope, source, Mode::Send, problems);
        let mut redactions = Self::default();
        for entry in written.into_iter().flatten() {
            match entry {
                RedactEntry::Text(name) if is_variable(name) => {
                    for warning in unmasked(name, scope) {
                        interpolation.add(warning.at(source, name.span, ""));
                    }
                    redactions.names.push(name.clone());
                }
                RedactEntry::Text(name) => {
                    let message = format!("`{}` is not a valid variable name", printable(name));
                    interpolation.report(Code::BadValue, name.span, message, Some(meant(name)));
                }
                RedactEntry::Mapping(RedactMatch { pattern: written }) => {
                    let Some(pattern) = interpolation.pattern(written).ok() else {
                        continue;
                    };
                    if pattern.matches_nothing() {
                        let message =
                            "the pattern matches the empty text, so it matches everywhere"
                                .to_owned();
                        let help =
                            "let it match at least one character: `+` instead of `*`".to_owned();
                        interpolation.report(Code::BadPattern, written.span, message, Some(help));
                        continue;
                    }
                    redactions.patterns.push(pattern);
                }
            }
        }
        redactions
    }

    /// Lets `redactor` know the patterns, and what `scope` holds of the variables.
    pub(super) fn teach(&self, scope: &Scope, redactor: &Redactor) {
        // A pattern that does not compile was reported.
        let compiled = self
            .patterns
            .iter()
            .filter_map(|pattern| Patterns::default().compile(pattern).ok());
        redactor.set_patterns(compiled.collect());
        redactor.add(self.secrets(scope));
    }

    /// The values of the named variables in `scope`.
    pub(crate) fn secrets(&self, scope: &Scope) -> Vec<Secret> {
        let held = self.names.iter().flat_map(|name| held(name, scope).secrets);
        held.flat_map(|secret| {
            let made_of = scope.origins().within(&secret);
            made_of.into_iter().chain([secret])
        })
        .collect()
    }

    /// Warnings about values in `scope` that cannot be masked, for the variables that `is_new` selects: the others were
    /// reported before.
    pub(crate) fn unmasked(&self, scope: &Scope, is_new: impl Fn(&str) -> bool) -> Vec<String> {
        let names = self
            .names
            .iter()
            .filter(|name| is_new(name.split('.').next().unwrap_or_default()));
        names
            .flat_map(|name| unmasked(name, scope))
            .map(|warning| warning.message)
            .collect()
    }
}

/// The warnings about a variable of `scope` that cannot be masked.
fn unmasked(name: &str, scope: &Scope) -> Vec<Diagnostic> {
    let VariableContent {
        secrets,
        has_number,
    } = held(name, scope);
    let mut warnings = Vec::new();
    if secrets.iter().any(Secret::is_short) {
        let message = format!(
            "the value of `{}` is too short to be masked",
            printable(name)
        );
        let help = format!(
            "secrets of at least {SHORTEST_SECRET} characters are masked in everything that is printed"
        );
        warnings.push(Diagnostic::warning(Code::ShortSecret, message).help(help));
    }
    if has_number {
        let message = format!(
            "what `{}` holds is a number, and only texts are masked",
            printable(name)
        );
        warnings.push(
            Diagnostic::warning(Code::WrongType, message).help("write it as a text, in quotes"),
        );
    }
    warnings
}

/// Whether `name` can be written in a `${…}`.
fn is_variable(name: &str) -> bool {
    let mut parts = name.split('.');
    let is_first = parts.next().is_some_and(is_name);
    let is_path = parts.all(|part| !part.is_empty() && !part.contains(['{', '}', ':', '$']));
    is_first && is_path && name != "ENV"
}

/// The remedy for a name that is not valid for a variable, in words.
fn meant(written: &str) -> String {
    let inner = written
        .strip_prefix("${")
        .and_then(|rest| rest.strip_suffix('}'));
    if let Some(name) = inner.filter(|inner| is_variable(inner)) {
        return format!("write the name alone: `{name}`");
    }
    if written == "ENV" {
        return "name one variable of the environment: `ENV.NAME`".to_owned();
    }
    "name a variable as in `${…}`, such as `SESSION` or `ENV.KEY`; for a pattern write `match: …`"
        .to_owned()
}

/// The content of a variable.
#[derive(Default)]
struct VariableContent {
    /// Its text, or every text of its list or mapping.
    secrets: Vec<Secret>,
    /// Whether there is a number among them. In JSON a number cannot be masked without changing its type.
    has_number: bool,
}

fn held(name: &str, scope: &Scope) -> VariableContent {
    let mut parts = name.split('.');
    let reference = Reference {
        name: parts.next().unwrap_or_default(),
        path: parts.collect(),
        default: None,
        range: 0..0,
    };
    let mut held = VariableContent::default();
    if let Lookup::Value(value) = scope.look_up(&reference) {
        held.collect(name, &value);
    }
    held
}

impl VariableContent {
    fn collect(&mut self, name: &str, value: &Value) {
        match value {
            Value::String(text) if text.is_empty() => {}
            Value::String(text) => {
                self.secrets.push(Secret {
                    name: name.to_owned(),
                    value: text.clone(),
                    is_written: false,
                });
            }
            Value::Number(_) => self.has_number = true,
            Value::Null | Value::Bool(_) => {}
            Value::Array(items) => {
                let each = |(index, item)| self.collect(&format!("{name}.{index}"), item);
                items.iter().enumerate().for_each(each);
            }
            Value::Object(entries) => {
                entries
                    .iter()
                    .for_each(|(key, value)| self.collect(&format!("{name}.{key}"), value));
            }
        }
    }
}
