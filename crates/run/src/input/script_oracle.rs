//! The scripts of a test: they answer what rules ask, and execute tools that have a script as their mock.
//!
//! **Invariant:** no script runs while a recording is replayed; a script that did not work is an error, never an answer.

use std::sync::{Mutex, MutexGuard};

use serde_json::Value;

use crate::attempt::Attempt;
use crate::hook::{self, Expected, ScriptRequest};
use ananke_base::context::lock;
use ananke_plan::Preparation;
use ananke_rules::{Decision, ScriptQuestion, ScriptSource};
use ananke_trace::outcome::{ErrorKind, Halt, Problem};

/// Asks the scripts of one attempt.
#[derive(Clone, Copy)]
pub(crate) struct ScriptOracle<'a> {
    pub(crate) attempt: &'a Attempt<'a>,
    pub(crate) preparation: &'a Mutex<Preparation>,
}

impl<'a> ScriptOracle<'a> {
    pub(crate) fn preparation(&self) -> MutexGuard<'a, Preparation> {
        lock(self.preparation)
    }

    /// The verdict of the script that `asked` names.
    pub(super) async fn decide(&self, asked: &ScriptQuestion) -> Result<Decision, Halt> {
        let ScriptQuestion {
            program,
            timeout_ms,
            request,
            ..
        } = asked;
        let answer = self
            .ask(program, *timeout_ms, request, Expected::Verdict)
            .await?;
        // A script answers with a Boolean or with `{pass, message}`. Other answers were refused by `ask`, so `pass` is a Boolean
        // here.
        Ok(match &answer {
            Value::Bool(true) => Decision::Confirmed,
            Value::Bool(false) => Decision::Rejected(None),
            answer if answer["pass"] == true => Decision::Confirmed,
            answer => Decision::Rejected(answer["message"].as_str().map(str::to_owned)),
        })
    }

    /// The answer of the script `program` to `request`, which has the form `expected`. In a replay it is the recorded answer.
    ///
    /// # Errors
    /// If the script cannot be started, fails, times out, or answers in another form.
    pub(super) async fn ask(
        &self,
        program: &ScriptSource,
        timeout_ms: Option<u64>,
        request: &Value,
        expected: Expected,
    ) -> Result<Value, Halt> {
        let Attempt {
            case, environment, ..
        } = self.attempt;
        // The block runs only when it is awaited, which a replay never does: it has the answer already.
        let run = async {
            let launch = self.preparation().script(program, timeout_ms);
            let mut launch = launch.map_err(|error| Problem {
                kind: ErrorKind::Script,
                ..case.unprepared(error)
            })?;
            // Environment variables that no system passes to a program are removed, each with a warning.
            case.warn(launch.leave_out_unusable(&format!("the script {program}")));
            let request = ScriptRequest {
                program,
                launch: &launch,
                body: request,
                expected,
            };
            // The script has a timeout of its own, by which the running step may take longer.
            case.watchdog.extend(request.launch.timeout);
            Ok(hook::ask(request, case.shared.stopper.token()).await?)
        };
        // The limit of the attempt applies to every script. An agent can call a tool again and again, so the scripts that answer
        // tools may together take only as long as the turn.
        let run = async {
            match expected {
                Expected::ToolAnswer => case.watchdog.within_turn(run).await,
                Expected::Variables | Expected::Verdict | Expected::Cases | Expected::UserInput => {
                    case.watchdog.within(run).await
                }
            }
        };
        // The recording stores the script by this name. A replay checks the recorded answer, since the test may expect another
        // form by now.
        let name = program.shown();
        environment
            .script(&name, request, |answer| expected.mismatch(answer), run)
            .await
    }
}
