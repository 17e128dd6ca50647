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

    /// Starts a program that no other test has.
    ///
    /// # Errors
    /// If the system cannot start it.
    fn start_own(&self, program: &PipeProgram) -> Result<Box<dyn Pipe>, TargetError> {
        let folder = program.folder(&self.context);
        let command = &program.command;
        // The program gets the environment of ananke, in which the variables of its own target replace those of the same name.
        let mut environment = (*self.context.environment).clone();
        for (name, value) in &command.environment {
            environment.extend([(name, value)]);
        }
        // Requests are written to the program's stdin, through a pipe.
        let stdin = Stdio::piped();
        let started = start(
            &Program {
                argv: &command.argv,
                environment: &environment,
                folder: &folder,
                folder_name: &display_name(&self.context, &folder),
            },
            stdin,
        );
        match started {
            Ok(started) => {
                let clock = Arc::clone(&self.context.clock);
                let pipe = ChildPipe::new(started, program.max_line_bytes, clock);
                Ok(Box::new(pipe))
            }
            // Help is empty for most errors: the reason that the system gives is all that is known.
            Err(StartError { message, help }) => Err(TargetError {
                message: format!("the agent {} {message}", shown(&command.argv)),
                received: Received::default(),
                help: if help.is_empty() { None } else { Some(help) },
            }),
        }
    }
}

impl PipeLauncher for ProgramLauncher {
    fn start(&self, program: &PipeProgram) -> Result<Box<dyn Pipe>, TargetError> {
        if let Some(shared) = &self.shared
            && let Some(sharing) = &program.sharing
        {
            let clock = &self.context.clock;
            return shared.take(program, sharing, clock, || self.start_own(program));
        }
        self.start_own(program)
    }
}
