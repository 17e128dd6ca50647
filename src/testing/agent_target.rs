//! The agent that a session talks to, as a project config describes it.

use serde_json::Value;

use ananke_agents::written_agent;
use ananke_model::model::NEWEST_VERSION;
use ananke_model::variables::literal_value;

/// An agent, as `target` of a project config describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentTarget {
    /// The target, as YAML.
    yaml: String,
}

impl AgentTarget {
    /// A target as a project config has it, in YAML: `type`, `endpoint` and everything else that the type knows.
    pub fn yaml(target: impl Into<String>) -> Self {
        Self {
            yaml: target.into(),
        }
    }

    /// A target of this type with these keys, in which nothing refers to a variable.
    pub fn new(target_type: &str, keys: Value) -> Self {
        let mut target = literal_value(keys);
        target["type"] = target_type.into();
        Self {
            yaml: target.to_string(),
        }
    }

    /// An agent that is there and says nothing.
    #[doc(hidden)]
    pub fn silent() -> Self {
        Self {
            yaml: written_agent("silent", []).to_string(),
        }
    }

    /// The lines above the target in [`Self::config`], and how many columns it is indented.
    pub(super) const PLACE: (usize, usize) = (2, 2);

    /// A config with this target.
    pub(super) fn config(&self) -> String {
        let lines = indented(&self.yaml, 2);
        format!("version: \"{NEWEST_VERSION}\"\ntarget:\n{lines}")
    }

    /// A config with this target, in which the list `redact` says what is secret.
    pub(super) fn config_with(&self, redact: &Value) -> String {
        format!("{}redact: {redact}\n", self.config())
    }

    /// A config with this target as `judge`, and with the target `subject` as `default`.
    pub(super) fn config_of_judge(&self, subject: &Value) -> String {
        let lines = indented(&self.yaml, 4);
        format!("version: \"{NEWEST_VERSION}\"\ntarget: {subject}\ntargets:\n  judge:\n{lines}")
    }
}

/// The lines of `text`, each after so many spaces.
pub(super) fn indented(text: &str, spaces: usize) -> String {
    let before = " ".repeat(spaces);
    text.lines()
        .map(|line| [&before, line, "\n"].concat())
        .collect()
}
