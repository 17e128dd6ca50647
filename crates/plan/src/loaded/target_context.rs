//! The targets of a config as their tests see them.

use crate::project::{Config, ResolvedTarget, TargetRules, Variables};
use ananke_base::context::Context;

/// The targets of a config, each with what it brings into its tests.
#[derive(Debug)]
pub(crate) struct TargetContexts<'a> {
    pub(crate) config: &'a Config,
    /// Those of the targets, in their order.
    rules: Vec<TargetRules>,
}

/// The target of one test.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TargetContext<'a> {
    pub(crate) config: &'a Config,
    pub(crate) target: &'a ResolvedTarget,
    pub(crate) rules: &'a TargetRules,
}

impl<'a> TargetContexts<'a> {
    pub(crate) fn of(config: &'a Config, context: &Context, variables: &Variables) -> Self {
        let rules = config
            .targets
            .iter()
            .map(|target| config.rules(target, context, variables))
            .collect();
        Self { config, rules }
    }

    /// With the rules of `target`, which is one of them.
    pub(crate) fn of_target(&self, target: &'a ResolvedTarget) -> Option<TargetContext<'_>> {
        let index = self
            .config
            .targets
            .iter()
            .position(|other| other.name == target.name)?;
        Some(TargetContext {
            config: self.config,
            target,
            rules: self.rules.get(index)?,
        })
    }
}
