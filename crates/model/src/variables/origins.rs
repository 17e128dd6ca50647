//! The values that variables were made of, so that with a secret its parts are known.
//!
//! Flows in: the references in the text of each variable that is defined. Flows out: which of their values are in a secret.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use super::Secret;

/// The parts that the values of variables were made of: for each variable the references in its text, with their values then.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origins {
    parts: Arc<Vec<ReferencePart>>,
    /// The parts of each variable.
    of: BTreeMap<String, Range<usize>>,
}

/// The value of one reference.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ReferencePart {
    given: Secret,
    /// The range of the parts that it was made of in turn.
    from: Range<usize>,
}

impl Origins {
    /// `name` has a new value, made of `used`.
    pub(super) fn set(&mut self, name: &str, mut used: Vec<Secret>) {
        self.of.remove(name);
        used.sort();
        used.dedup();
        if used.is_empty() {
            return;
        }
        let start = self.parts.len();
        let parts = used.into_iter().map(|given| {
            let variable = given.name.split('.').next().unwrap_or_default();
            let from = self.of.get(variable).cloned().unwrap_or_default();
            ReferencePart { given, from }
        });
        let parts: Vec<ReferencePart> = parts.collect();
        Arc::make_mut(&mut self.parts).extend(parts);
        self.of.insert(name.to_owned(), start..self.parts.len());
    }

    /// A part of the value of the variable `name`, at any depth, that is empty or blank.
    pub(super) fn empty_part(&self, name: &str) -> Option<&Secret> {
        let mut ranges: Vec<Range<usize>> = self.of.get(name).cloned().into_iter().collect();
        let mut looked_at = BTreeSet::new();
        while let Some(range) = ranges.pop() {
            if !looked_at.insert(range.start) {
                continue;
            }
            for ReferencePart { given, from } in &self.parts[range] {
                if given.value.trim().is_empty() {
                    return Some(given);
                }
                // A path such as `LOGIN.token` reaches some parts of its variable alone.
                if !from.is_empty() && !given.name.contains('.') {
                    ranges.push(from.clone());
                }
            }
        }
        None
    }

    /// The parts of the value of `secret`, at any depth. A value that is only elsewhere in its variable is omitted.
    pub fn within(&self, secret: &Secret) -> Vec<Secret> {
        let variable = secret.name.split('.').next().unwrap_or_default();
        let mut ranges: Vec<Range<usize>> = self.of.get(variable).cloned().into_iter().collect();
        let (mut looked_at, mut found) = (BTreeSet::new(), Vec::new());
        while let Some(range) = ranges.pop() {
            if !looked_at.insert(range.start) {
                continue;
            }
            for ReferencePart { given, from } in &self.parts[range] {
                let escaped = serde_json::Value::from(given.value.as_str()).to_string();
                let is_within = |text: &str| !text.is_empty() && secret.value.contains(text);
                if is_within(&given.value) || is_within(&escaped[1..escaped.len() - 1]) {
                    found.push(given.clone());
                }
                if !from.is_empty() {
                    ranges.push(from.clone());
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(name: &str, value: &str) -> Secret {
        Secret {
            name: name.to_owned(),
            value: value.to_owned(),
            is_written: false,
        }
    }

    #[test]
    fn what_a_secret_was_made_of_is_found_at_any_depth() {
        let mut origins = Origins::default();
        origins.set(
            "PAIR",
            vec![given("ENV.USER", "shop"), given("ENV.PW", "hunter22")],
        );
        origins.set(
            "AUTH",
            vec![
                given("PAIR", "shop:hunter22"),
                given("PAIR", "shop:hunter22"),
            ],
        );
        let within = |secret: &Secret| {
            origins
                .within(secret)
                .into_iter()
                .map(|secret| secret.name)
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(
            within(&given("AUTH", "Basic shop:hunter22")),
            "PAIR ENV.PW ENV.USER"
        );
        assert_eq!(within(&given("AUTH.password", "hunter22")), "ENV.PW");
        assert_eq!(within(&given("OTHER", "hunter22")), "");
        let mut later = origins.clone();
        later.set("PAIR", Vec::new());
        assert_eq!(
            later.within(&given("AUTH", "shop:hunter22")).len(),
            3,
            "of what it was then"
        );
        assert_eq!(later.within(&given("PAIR", "shop:hunter22")), []);
    }
}
