//! A helper of a test that is ready to be asked.

use std::sync::Arc;
use std::time::Duration;

use super::preparation::Preparation;
use super::prepare_error::PrepareError;
use crate::compile::{CompiledClientTool, fill_client_tools};
use crate::diagnostic::Severity;
use crate::project::{DEFAULT_TURN_TIMEOUT, unknown_name};
use crate::target::{Target, TargetPace};
use crate::variables::{Interpolation, Secret};

/// A helper of a test that is ready to be asked.
#[derive(Clone, Debug)]
pub struct PreparedHelper {
    /// The target.
    pub target: Arc<dyn Target>,
    /// Its client-side tools.
    pub client_tools: Vec<CompiledClientTool>,
    /// How often it may be asked.
    pub pace: TargetPace,
    /// How long one answer may take.
    pub timeout: Duration,
    /// Values that must be masked.
    pub secrets: Vec<Secret>,
}

impl Preparation {
    /// The target `name` as a helper, filled with what is known by now.
    ///
    /// # Errors
    /// If there is no such target, or a leaf of it cannot be filled.
    pub fn helper(&self, name: &str) -> Result<PreparedHelper, PrepareError> {
        let config = &self.plan.config;
        let mut problems = Vec::new();
        let Some(target) = config.target(name) else {
            let problem = unknown_name(name, &config.target_names());
            return Err(PrepareError::Broken(vec![problem], self.secrets()));
        };
        let common = &target.model.common;
        let mut interpolation = Interpolation::new(&self.scope, &config.source, self.mode, &mut problems);
        let compiled = target.model.compile(&mut interpolation);
        let client_tools = fill_client_tools(common.client_tools.as_ref(), None, &mut interpolation);
        let timeout = common.timeout_ms.as_ref().map(|number| interpolation.number(number)).transpose();
        let pace = TargetPace::fill(common, &mut interpolation);
        let secrets = interpolation.into_secrets();
        problems.retain(|problem| problem.severity == Severity::Error);
        match (compiled, timeout, pace) {
            (Some(target), Ok(timeout), Some(pace)) if problems.is_empty() => {
                let timeout = timeout.map_or(DEFAULT_TURN_TIMEOUT, Duration::from_millis);
                Ok(PreparedHelper { target, client_tools, pace, timeout, secrets })
            }
            _ => Err(PrepareError::Broken(problems, [self.secrets(), secrets].concat())),
        }
    }
}
