//! Starts a program for one attempt, with the addresses of its lanes in the environment.

use std::sync::Arc;

use ananke_agents::TargetError;
use ananke_agents::pipe::{Pipe, PipeLauncher, PipeProgram};

/// A launcher of programs whose requests to models name the attempt that they are of.
pub(crate) struct LaneLauncher {
    /// The launcher that knows how.
    pub(crate) launcher: Arc<dyn PipeLauncher>,
    /// The variables in which an agent looks for its models.
    pub(crate) variables: Vec<(String, String)>,
}

impl PipeLauncher for LaneLauncher {
    fn start(&self, program: &PipeProgram) -> Result<Box<dyn Pipe>, TargetError> {
        // A program that tests share is started for the first of them, and asks models for all.
        if program.sharing.is_some() {
            return self.launcher.start(program);
        }
        let mut of_lane = program.clone();
        of_lane.command.environment.clone_from(&self.variables);
        // The variables of the target itself come last, because they take precedence.
        let own = program.command.environment.iter();
        of_lane.command.environment.extend(own.cloned());
        self.launcher.start(&of_lane)
    }
}
