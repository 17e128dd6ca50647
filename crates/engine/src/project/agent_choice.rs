//! Which target is under test, as the command line says it.

/// Which target is under test, if a test does not say so itself.
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
