//! The agents of a plan that have no price, for a run that may cost only so much.

use std::collections::BTreeSet;

use super::plan::Plan;
use crate::loaded::Judging;
use ananke_agents::Capability;
use ananke_base::context::Context;

impl Plan {
    /// The reason why it cannot be known what the tests of the plan cost, or what `helper` costs, which is asked before them; `None`
    /// if it can be, as far as the config shows it.
    pub fn unpriced(&self, helper: Option<&str>, context: &Context) -> Option<String> {
        let Some(prices) = &self.prices else {
            return Some("the config has no `prices`".to_owned());
        };
        if let Some(model) = self.request_context.connector()
            && !prices.0.contains_key(model)
        {
            return Some(format!("`prices` does not have the model `{model}`"));
        }

        // The agents under test, and those that are asked for their tests.
        let judging = Judging::of(&self.settings);
        let mut names = BTreeSet::new();
        for case in &self.cases {
            names.insert(case.test.target.as_str());
            for target in &self.config.targets {
                if case.test.asks(&target.name, judging) {
                    names.insert(target.name.as_str());
                }
            }
        }
        if let Some(helper) = helper
            && let Ok(name) = self.agent(helper)
        {
            names.insert(name);
        }
        for name in names {
            let Some(target) = self.config.target(name) else {
                continue;
            };
            let capabilities = target.model.capabilities();
            // A server whose tools are called has no model.
            if !capabilities.has(Capability::UserTurns) {
                continue;
            }
            if !capabilities.has(Capability::Usage) {
                let own = target.model.protocol;
                let lack = Capability::Usage.lack();
                return Some(format!("the target `{name}` of the type `{own}` {lack}"));
            }
            // A target without a model names it in its responses.
            if let Some(model) = self.config.model_of(target, context, &self.variables)
                && !prices.0.contains_key(&model)
            {
                return Some(format!(
                    "`prices` does not have the model `{model}` of the target `{name}`"
                ));
            }
        }
        None
    }
}
