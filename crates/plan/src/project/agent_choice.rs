//! The target under test, as the command line gives it.

/// The target under test, if a test does not name one itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AgentChoice {
    /// That of the config.
    #[default]
    OfConfig,
    /// The target with this name or `agentId`.
    Named(String),
    /// That of the assistant which the tests belong to; that of the config if they belong to none.
    OfAssistant,
}

impl From<Option<String>> for AgentChoice {
    /// The name of a target, if the command line has one.
    fn from(name: Option<String>) -> Self {
        name.map_or(Self::OfConfig, Self::Named)
    }
}
