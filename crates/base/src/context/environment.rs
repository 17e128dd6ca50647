//! The environment variables of a program, kept as the system has them.
//!
//! Flows in: what this program was started with, and what a test adds. Flows out: texts for `${ENV.NAME}`, and the whole
//! environment of a program that is started. **Invariant:** what is not valid Unicode is passed on unchanged.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// Environment variables by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment(BTreeMap<OsString, OsString>);

impl Environment {
    /// The value of `name`, if it is set and is valid Unicode.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(OsStr::new(name))?.to_str()
    }

    /// Whether `name` has a value, valid Unicode or not.
    pub fn contains(&self, name: &str) -> bool {
        self.0.contains_key(OsStr::new(name))
    }

    /// Gives `name` a value, over any earlier one.
    pub fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        self.0.insert(name.into(), value.into());
    }

    /// Removes `name`, if it is set.
    pub fn remove(&mut self, name: &str) {
        self.0.remove(OsStr::new(name));
    }

    /// Every name that has a text as its value, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0
            .iter()
            .filter_map(|(name, value)| value.to_str().and(name.to_str()))
    }

    /// Every name with its value, sorted.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

impl<N: Into<OsString>, V: Into<OsString>> FromIterator<(N, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Self {
        Self(
            variables
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        )
    }
}

impl<N: Into<OsString>, V: Into<OsString>> Extend<(N, V)> for Environment {
    fn extend<I: IntoIterator<Item = (N, V)>>(&mut self, variables: I) {
        self.0.extend(
            variables
                .into_iter()
                .map(|(name, value)| (name.into(), value.into())),
        );
    }
}
