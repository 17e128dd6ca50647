//! The agent under test in words, for a helper that makes tests for it.

use serde_json::{Value, json};

use super::plan::Plan;
use crate::compile::CompiledClientTools;
use ananke_base::context::Context;
use ananke_base::message::ToolDeclaration;
use ananke_model::variables::{Interpolation, Mode};

/// The agent under test in words, as far as it is known before a test starts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TargetDescription {
    /// Its `agentId`, else the name of its target.
    pub agent: String,
    /// The description in the config; may be empty.
    pub description: String,
    /// The name of its target.
    pub target: String,
    /// The tools that the config declares to it, each with name, description and parameters.
    pub tools: Vec<Value>,
}

impl Plan {
    /// The agent under test, if a test does not say otherwise.
    pub fn target_description(&self, context: &Context) -> TargetDescription {
        let Some(target) = self.config.default_target() else {
            return TargetDescription::default();
        };
        let scope = self.variables.config_scope(context).open();
        let mut interpolation = Interpolation::again(&scope, &self.config.source, Mode::Draft);
        let tools = CompiledClientTools::fill(
            target.model.common.client_tools.as_ref(),
            None,
            &mut interpolation,
        );
        let tool = |tool: &ToolDeclaration| json!({ "name": tool.name, "description": tool.description, "parameters": tool.parameters });
        TargetDescription {
            target: target.name.clone(),
            agent: target.agent_id().unwrap_or(&target.name).to_owned(),
            description: self
                .config
                .description(target, context, &self.variables)
                .unwrap_or_default(),
            tools: tools
                .written
                .iter()
                .map(|compiled| tool(&compiled.declaration))
                .collect(),
        }
    }
}
