//! The survivors of an earlier report of `ananke mutate --json`.

use std::collections::BTreeMap;
use std::path::Path;

use ananke::outcome::mutation::SurvivingMutant;
use ananke::source::reason;
use serde_json::Value;

/// The survivors of an earlier report, and the number of times that the same survived.
#[derive(Debug)]
pub(super) struct EarlierSurvivors(BTreeMap<[String; 3], usize>);

impl EarlierSurvivors {
    /// Reads a report.
    ///
    /// # Errors
    /// If it is not one.
    pub(super) fn read(path: &Path, shown: &str) -> Result<Self, String> {
        let text = std::fs::read(path)
            .map_err(|error| format!("`{shown}` cannot be read: {}", reason(&error)))?;
        let report: Value = serde_json::from_slice(&text).map_err(|error| {
            format!("`{shown}` is not a report of `ananke mutate --json`: {error}")
        })?;
        let Some(listed) = report["survivors"].as_array() else {
            return Err(format!(
                "`{shown}` is not a report of `ananke mutate --json`: it has no `survivors`"
            ));
        };
        let mut survivors = BTreeMap::new();
        for survivor in listed {
            let key = ["test", "operator", "change"]
                .map(|key| survivor[key].as_str().unwrap_or_default().to_owned());
            *survivors.entry(key).or_default() += 1;
        }
        Ok(Self(survivors))
    }

    /// The survivors that the report does not have.
    pub(super) fn new_among(mut self, survivors: &[SurvivingMutant]) -> Vec<&SurvivingMutant> {
        let is_new = |survivor: &&SurvivingMutant| {
            let SurvivingMutant {
                test,
                operator,
                change,
                ..
            } = survivor;
            let known = self
                .0
                .get_mut(&[test.clone(), operator.name().to_owned(), change.clone()]);
            match known.filter(|count| **count > 0) {
                Some(count) => {
                    *count -= 1;
                    false
                }
                None => true,
            }
        };
        survivors.iter().filter(is_new).collect()
    }
}
