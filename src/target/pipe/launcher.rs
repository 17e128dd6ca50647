//! Starts real programs.

use std::process::Stdio;
use std::sync::Arc;

use super::child::ChildPipe;
use super::pipe::{Pipe, PipeLauncher, PipeProgram};
use crate::context::Clock;
use crate::process::{Program, StartError, shown, start};
use crate::target::error::{Received, TargetError};

/// Starts real programs, whose lines are stamped by one clock.
pub struct ProgramLauncher {
    clock: Arc<dyn Clock>,
}

impl ProgramLauncher {
    /// Programs whose lines are stamped by `clock`.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock }
    }
}

impl PipeLauncher for ProgramLauncher {
    fn start(&self, program: &PipeProgram) -> Result<Box<dyn Pipe>, TargetError> {
        let PipeProgram { argv, environment, folder, folder_name, max_line_bytes } = program;
        let started = start(&Program { argv, environment, folder, folder_name }, Stdio::piped());
        let started = started.map_err(|StartError { message, help }| TargetError {
            message: format!("the agent {} {message}", shown(argv)),
            received: Received::default(),
            help: Some(help).filter(|help| !help.is_empty()),
        })?;
        Ok(Box::new(ChildPipe::new(started, *max_line_bytes, Arc::clone(&self.clock))))
    }
}
