//! The scripts of a test: they answer what rules ask, and execute tools that have a script as their mock.
//!
//! **Invariant:** no script runs while a recording is replayed; a script that did not work is an error, never an answer.

use std::sync::{Mutex, PoisonError};

use futures_util::future::BoxFuture;
use serde_json::Value;

use crate::assertion::{Inquiry, Program, Question};
use crate::engine::{Decision, Halt, Oracle};
use crate::hook::{self, Expected, ScriptRequest};
use crate::outcome::{ErrorKind, Problem};
use crate::plan::Preparation;
use crate::recording::Tape;
use crate::redact::Redactor;

use super::problems::{recording_problem, unprepared_problem};
use super::shared::Run;

/// Asks the scripts of one attempt.
#[derive(Clone, Copy)]
pub(super) struct Scripts<'a, 'p> {
    pub(super) shared: &'a Run,
    pub(super) tape: &'a Tape,
    pub(super) redactor: &'a Redactor,
    pub(super) preparation: &'a Mutex<Preparation<'p>>,
}

impl Oracle for Scripts<'_, '_> {
    fn decide<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Result<Decision, Halt>> {
        let Inquiry { program, timeout_ms, request, .. } = &question.inquiry;
        Box::pin(async move {
            let answer = self.ask(program, *timeout_ms, request, Expected::Verdict).await?;
            Ok(match &answer {
                Value::Bool(true) => Decision::Confirmed,
                Value::Bool(false) => Decision::Rejected(None),
                answer if answer["pass"] == true => Decision::Confirmed,
                answer => Decision::Rejected(answer["message"].as_str().map(str::to_owned)),
            })
        })
    }
}

impl Scripts<'_, '_> {
    /// What a script answers to `request`, or answered when the attempt was recorded.
    pub(super) async fn ask(
        &self,
        program: &Program,
        timeout_ms: Option<u64>,
        request: &Value,
        expected: Expected,
    ) -> Result<Value, Halt> {
        let name = program.shown();
        if let Some(player) = self.tape.player() {
            let answer = player.script(&name, request, self.redactor).map_err(recording_problem)??;
            return match expected.misfit(&answer) {
                None => Ok(answer),
                Some(what) => {
                    let message = format!("the recording holds no answer of the script `{name}`, but {what}");
                    Err(Problem { kind: ErrorKind::Recording, message, help: None }.into())
                }
            };
        }
        let gave = self.start(program, timeout_ms, request, expected).await;
        match &gave {
            Ok(answer) => self.tape.script_gave(&name, request, Ok(answer)),
            Err(Halt::Broken(problem)) => self.tape.script_gave(&name, request, Err(problem)),
            Err(Halt::Stopped) => {}
        }
        gave
    }

    async fn start(
        &self,
        program: &Program,
        timeout_ms: Option<u64>,
        request: &Value,
        expected: Expected,
    ) -> Result<Value, Halt> {
        let preparation = || self.preparation.lock().unwrap_or_else(PoisonError::into_inner);
        let launch = preparation().script(program, timeout_ms).map_err(|unprepared| Problem {
            kind: ErrorKind::Script,
            ..unprepared_problem(self.redactor, unprepared)
        })?;
        let request = ScriptRequest { program, launch: &launch, body: request, expected };
        hook::ask(request, self.shared.stopper.token()).await.map_err(|error| {
            if error.is_stopped() {
                return Halt::Stopped;
            }
            let (message, help) = (error.to_string(), error.help());
            Halt::Broken(Problem { kind: ErrorKind::Script, message, help })
        })
    }
}
