//! The names that are defined, and their values.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use super::{
    Origins, Reference, Secret, empty_variable::EmptyVariable, is_reserved, name::ENVIRONMENT,
};
use ananke_base::context::Environment;
use ananke_base::text::nearest;

/// The meaning of a reference.
#[derive(Clone, Debug, PartialEq)]
pub enum Lookup<'a> {
    /// This value.
    Value(Cow<'a, Value>),
    /// Something that is known later: when the test starts, or after a hook.
    Pending,
    /// Nothing; the words say what is missing.
    Missing(String),
    /// An environment variable that is not set.
    MissingEnvironment(String),
}

/// Names and values, and the names whose values come later.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    environment: Arc<Environment>,
    home: Option<PathBuf>,
    values: BTreeMap<String, Value>,
    pending: BTreeSet<String>,
    /// The names of those that may stay without a value, each with the reason.
    doubtful: BTreeMap<String, String>,
    origins: Origins,
    open: bool,
    /// The names that may still get another value, and so need not have one yet.
    provisional: BTreeSet<String>,
    /// Whether empty values are fine everywhere, since nothing is sent.
    allows_empty: bool,
    hint: Option<String>,
    /// The names that are known only after what is filled now, each with what gives them a value.
    later: Arc<BTreeMap<String, String>>,
}

impl Scope {
    /// A scope that knows the environment alone.
    pub fn new(environment: Arc<Environment>) -> Self {
        Self {
            environment,
            ..Self::default()
        }
    }

    /// This scope, in which `~` at the start of a path is `home`.
    #[must_use]
    pub fn at_home(self, home: Option<PathBuf>) -> Self {
        Self { home, ..self }
    }

    /// The directory that `~` at the start of a path means.
    pub(super) fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// This scope, in which variables were made of `origins`.
    #[must_use]
    pub fn made_of(self, origins: Origins) -> Self {
        Self { origins, ..self }
    }

    /// Gives `name` a value, over any earlier one.
    pub fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.set_made_of(name, value, Vec::new());
    }

    /// The same for a value in which references gave `used`.
    pub fn set_made_of(&mut self, name: &str, value: impl Into<Value>, used: Vec<Secret>) {
        self.pending.remove(name);
        self.origins.set(name, used);
        self.values.insert(name.to_owned(), value.into());
    }

    /// Replaces the value that `path` reaches, `NAME` or `NAME.key.0`, by `text`, if there is one.
    pub fn replace(&mut self, path: &str, text: String) {
        let mut parts = path.split('.');
        let mut value = parts.next().and_then(|name| self.values.get_mut(name));
        for part in parts {
            value = match value {
                Some(Value::Object(map)) => map.get_mut(part),
                Some(Value::Array(items)) => part
                    .parse::<usize>()
                    .ok()
                    .and_then(|index| items.get_mut(index)),
                _ => None,
            };
        }
        if let Some(value) = value {
            *value = Value::String(text);
        }
    }

    /// Says that `name` gets its value later.
    pub fn expect(&mut self, name: &str) {
        if !self.values.contains_key(name) {
            self.pending.insert(name.to_owned());
        }
    }

    /// Says that `name` gets another value later, whatever it is by now.
    pub fn shadow(&mut self, name: &str) {
        self.values.remove(name);
        self.pending.insert(name.to_owned());
    }

    /// Says that `name`, whose value comes later, may stay without one, for this `reason`; `None` if it will get one.
    pub fn doubt(&mut self, name: &str, reason: Option<String>) {
        match reason {
            Some(reason) => _ = self.doubtful.insert(name.to_owned(), reason),
            None => _ = self.doubtful.remove(name),
        }
    }

    /// Whether the value of `name` comes later, without a doubt.
    pub fn is_certain(&self, name: &str) -> bool {
        self.pending.contains(name) && !self.doubtful.contains_key(name)
    }

    /// The reason why `name` may stay without a value.
    pub(super) fn reason_for_doubt(&self, name: &str) -> Option<&str> {
        self.doubtful.get(name).map(String::as_str)
    }

    /// Says that any name may still get a value, but for the reserved ones: nothing is missing yet.
    #[must_use]
    pub fn open(self) -> Self {
        Self { open: true, ..self }
    }

    /// Says that these names may still get another value: that of another row, or of a test.
    #[must_use]
    pub fn provisional<'n>(mut self, names: impl IntoIterator<Item = &'n String>) -> Self {
        self.provisional.extend(names.into_iter().cloned());
        self
    }

    /// Says that empty values are fine everywhere: nothing is sent or started with them.
    #[must_use]
    pub fn allowing_empty(self) -> Self {
        Self {
            allows_empty: true,
            ..self
        }
    }

    /// Says that only the names that are known by now have a value.
    #[must_use]
    pub fn closed(self) -> Self {
        Self {
            open: false,
            ..self
        }
    }

    /// Adds to the problem of a missing name why it is missing, or where it would have to come from.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self {
            hint: Some(hint.into()),
            ..self
        }
    }

    /// The help for a missing name.
    pub fn hint_for_missing(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Says that `name` has no value yet, but later parts may use it, in the words of a help.
    pub fn promise(&mut self, name: &str, help: String) {
        Arc::make_mut(&mut self.later).insert(name.to_owned(), help);
    }

    /// The help for a name that only later parts can use.
    pub(super) fn help_for_later(&self, name: &str) -> Option<&str> {
        self.later.get(name).map(String::as_str)
    }

    /// The parts that the values were made of.
    pub fn origins(&self) -> &Origins {
        &self.origins
    }

    /// Whether `name` has a value.
    pub fn knows(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// The meaning of `reference`. A default replaces a missing and an empty value (SPEC 2).
    pub fn look_up<'a>(&'a self, reference: &Reference<'a>) -> Lookup<'a> {
        let found = self.without_default(reference);
        match (&found, reference.default) {
            (Lookup::Missing(_) | Lookup::MissingEnvironment(_), Some(default)) => text(default),
            (Lookup::Value(value), Some(default)) if is_empty(value) => text(default),
            _ => found,
        }
    }

    /// The variable that `reference` or a part of its value is, if it is empty or blank. A default is no such value, but for a
    /// blank value no default is taken.
    pub(super) fn empty_variable(&self, reference: &Reference<'_>) -> Option<EmptyVariable> {
        let may_change = reference.name != ENVIRONMENT
            && (self.open || self.provisional.contains(reference.name));
        if self.allows_empty || may_change {
            return None;
        }
        let Lookup::Value(value) = self.without_default(reference) else {
            return None;
        };
        if is_empty(&value) && reference.default.is_some() {
            return None;
        }
        if let Some(empty) = EmptyVariable::of(reference, &value) {
            return Some(empty);
        }
        // A path reaches only some parts of a list or a mapping.
        if !reference.path.is_empty() || !value.is_string() {
            return None;
        }
        let part = self.origins.empty_part(reference.name)?;
        Some(EmptyVariable {
            variable: part.clone(),
            part_of: Some(reference.name.to_owned()),
        })
    }

    fn without_default<'a>(&'a self, reference: &Reference<'a>) -> Lookup<'a> {
        if reference.name == ENVIRONMENT {
            return match reference.path.as_slice() {
                [name] => match self.environment.text(name) {
                    Some(value) => text(value),
                    None if self.environment.contains(name) => Lookup::MissingEnvironment(format!(
                        "the environment variable `{name}` is not valid UTF-8"
                    )),
                    None => Lookup::MissingEnvironment(format!(
                        "the environment variable `{name}` is not set"
                    )),
                },
                _ => Lookup::Missing("`ENV` takes one name: `${ENV.NAME}`".to_owned()),
            };
        }
        if self.pending.contains(reference.name) {
            return Lookup::Pending;
        }
        let Some(mut value) = self.values.get(reference.name) else {
            if self.open && !is_reserved(reference.name) {
                return Lookup::Pending;
            }
            return Lookup::Missing(format!("the variable `{}` is not defined", reference.name));
        };
        for (depth, part) in reference.path.iter().enumerate() {
            let inner = match value {
                Value::Object(map) => map.get(*part),
                Value::Array(items) => part
                    .parse::<usize>()
                    .ok()
                    .and_then(|index| items.get(index)),
                _ => None,
            };
            let Some(inner) = inner else {
                let reached = [reference.name]
                    .iter()
                    .chain(&reference.path[..depth])
                    .copied()
                    .collect::<Vec<_>>()
                    .join(".");
                return Lookup::Missing(format!("the variable `{reached}` has no `{part}`"));
            };
            value = inner;
        }
        Lookup::Value(Cow::Borrowed(value))
    }

    /// The reference that was probably meant by one whose path leads nowhere.
    pub(super) fn nearest_path(&self, reference: &Reference<'_>) -> Option<String> {
        let mut value = self.values.get(reference.name)?;
        let mut path = reference.name.to_owned();
        for part in &reference.path {
            let Value::Object(map) = value else {
                return None;
            };
            let known = match map.get(*part) {
                Some(_) => *part,
                None => nearest(part, map.keys())?.as_str(),
            };
            value = map.get(known)?;
            path.push('.');
            path.push_str(known);
        }
        Some(path)
    }

    /// Every name that has a value, with it, sorted.
    pub fn values(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.values
            .iter()
            .map(|(name, value)| (name.as_str(), value))
    }

    /// Every name that has or gets a value, sorted, for suggestions.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let mut names: BTreeSet<&str> = self.values.keys().map(String::as_str).collect();
        names.extend(self.pending.iter().map(String::as_str));
        names.into_iter()
    }

    /// Every environment variable's name, sorted, for suggestions.
    pub fn environment_names(&self) -> impl Iterator<Item = &str> {
        self.environment.names()
    }
}

fn text(text: &str) -> Lookup<'_> {
    Lookup::Value(Cow::Owned(Value::String(text.to_owned())))
}

fn is_empty(value: &Value) -> bool {
    matches!(value, Value::Null) || value.as_str() == Some("")
}
