//! Scripts that are asked: by rules that nothing here can judge, and by tools that scripts answer for.
//!
//! **Invariant:** while a recording is played no script runs; a script that could not do its work is an error, never an
//! answer.

use serde_json::Value;

use crate::assertion::{Inquiry, Program, Question};
use crate::hook::{self, Asked, Expected};
use crate::outcome::{ErrorKind, Failure, Problem};
use crate::plan::Preparation;
use crate::recording::Tape;
use crate::redact::Redactor;

use super::Run;
use super::attempt::{Halt, broken, unprepared_problem};
use super::capture::Capture;

/// Whoever asks scripts while a test runs.
#[derive(Clone, Copy)]
pub(super) struct Asking<'a> {
    pub(super) shared: &'a Run,
    pub(super) tape: &'a Tape,
    pub(super) redactor: &'a Redactor,
    pub(super) preparation: &'a Preparation<'a>,
}

impl Asking<'_> {
    /// Puts the questions that rules left open, in their order, until a script does not do its work: the failures of the
    /// rules that do not hold, and what stopped it.
    pub(super) async fn judge(
        &self,
        questions: Vec<Question>,
        capture: &mut Capture,
    ) -> (Vec<Failure>, Option<Halt>) {
        let mut failures = Vec::new();
        for question in questions {
            let Inquiry { program, timeout_ms, request, .. } = &question.inquiry;
            let answer = self.ask(program, *timeout_ms, request, Expected::Verdict).await;
            let (passes, words) = match &answer {
                Ok(Value::Bool(passes)) => (*passes, None),
                Ok(answer) => (answer["pass"] == true, answer["message"].as_str()),
                Err(_) => (true, None),
            };
            match (passes, &answer) {
                (false, _) => failures.push(capture.judge.reject(&question, words, &capture.trace)),
                (true, Ok(_)) => capture.judge.confirm(&question),
                (true, Err(_)) => {}
            }
            if let Err(halt) = answer {
                return (failures, Some(halt.because(|why| question.unanswered(why))));
            }
        }
        (failures, None)
    }

    /// What a script answers to `request`, or what it answered then.
    pub(super) async fn ask(
        &self,
        program: &Program,
        timeout_ms: Option<u64>,
        request: &Value,
        expected: Expected,
    ) -> Result<Value, Halt> {
        let name = program.shown();
        if let Some(player) = self.tape.player() {
            let answer = player.script(&name, request, self.redactor).map_err(broken)??;
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
        let launch = self.preparation.script(program, timeout_ms).map_err(|unprepared| Problem {
            kind: ErrorKind::Script,
            ..unprepared_problem(self.redactor, unprepared)
        })?;
        let asked = Asked { program, launch: &launch, request, expected };
        hook::ask(asked, self.shared.stopper.token()).await.map_err(|error| {
            if error.is_stopped() {
                return Halt::Stopped;
            }
            let (message, help) = (error.to_string(), error.help());
            Halt::Broken(Problem { kind: ErrorKind::Script, message, help })
        })
    }
}
