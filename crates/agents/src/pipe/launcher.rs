//! Starts real programs.

use std::process::Stdio;
use std::sync::Arc;

use super::{Pipe, PipeLauncher, PipeProgram, SharedPrograms, child::ChildPipe};
use crate::error::{Received, TargetError};
use ananke_base::context::{Context, display_name};
use ananke_trace::process::{Program, StartError, shown, start};

/// Starts real programs in the environment of a context, whose clock stamps their lines.
pub struct ProgramLauncher {
    context: Context,
    /// The programs that tests share; without them each has its own.
    shared: Option<Arc<SharedPrograms>>,
}

impl ProgramLauncher {
    /// Programs in the environment of `context`.
    pub fn new(context: &Context) -> Self {
        Self {
            context: context.clone(),
            shared: None,
        }
    }

    /// The same with these programs for tests that share one.
    #[must_use]
    pub fn sharing(self, programs: &Arc<SharedPrograms>) -> Self {
        Self {
            shared: Some(Arc::clone(programs)),
            ..self
        }
    }

    fn start_own(&self, program: &PipeProgram) -> Result<Box<dyn Pipe>, TargetError> {
        let folder = program.folder(&self.context);
        let PipeProgram {
            command,
            max_line_bytes,
            ..
        } = program;
        let mut environment = (*self.context.environment).clone();
        environment.extend(
            command
                .environment
                .iter()
                .map(|(name, value)| (name, value)),
        );
        let (argv, folder_name) = (&command.argv, display_name(&self.context, &folder));
        let program = Program {
            argv,
            environment: &environment,
            folder: &folder,
            folder_name: &folder_name,
        };
        let started = start(&program, Stdio::piped()).map_err(|StartError { message, help }| {
            TargetError {
                message: format!("the agent {} {message}", shown(argv)),
                received: Received::default(),
                help: Some(help).filter(|help| !help.is_empty()),
            }
        })?;
        Ok(Box::new(ChildPipe::new(
            started,
            *max_line_bytes,
            self.context.clock.clone(),
        )))
    }
}

impl PipeLauncher for ProgramLauncher {
    fn start(&self, program: &PipeProgram) -> Result<Box<dyn Pipe>, TargetError> {
        match (&self.shared, &program.sharing) {
            (Some(shared), Some(sharing)) => {
                let start = || self.start_own(program);
                shared.take(program, sharing, &self.context.clock, start)
            }
            _ => self.start_own(program),
        }
    }
}
