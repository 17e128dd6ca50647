//! The models that an attempt's agent asks: opened before its session, asked during its turns, and judged at its end.

use std::sync::Arc;

use crate::attempt::Attempt;
use crate::context::RequestPace;
use crate::models::{AttemptModels, LaneLauncher, ModelledSession};
use ananke_agents::{Session, SessionOptions};
use ananke_conversation::ConversationResult;
use ananke_plan::Prepared;
use ananke_trace::outcome::{ErrorKind, Halt, Problem, RuleResult, Status};

/// Puts the problem and the warnings of a model into the result of a conversation. Whatever the agent made of it is a consequence.
pub(super) fn end_models(models: &AttemptModels, result: &mut ConversationResult) {
    // Unused answers are no problem of a conversation that ended early, because it need not have come as far as to use them.
    let is_whole = result.halt.is_none()
        && result.turns_not_run == 0
        && !result.rules.iter().any(RuleResult::has_failed)
        && result
            .turns
            .iter()
            .all(|turn| turn.status() == Status::Passed);
    if is_whole {
        models.report_unused();
    } else if result.halt.is_none() {
        // A test whose rules fail replays with the same failure.
        models.write_recordings();
    }
    let warnings = models.warnings();
    // All of them are about what the `models` of a config have done, so that `--deny-warnings` denies them as any other.
    result.denied_warnings += warnings.len();
    result.warnings.extend(warnings);
    let Some(problem) = models.problem() else {
        return;
    };
    // The error of the agent in its last turn is a consequence, and the problem takes its place.
    if let Some(turn) = result.turns.last_mut()
        && let Some(of_turn) = turn.end.problem_mut()
    {
        *of_turn = problem;
        return;
    }
    result.halt = Some(Halt::Broken(problem));
}

/// The problem of a pattern that compiles to more than is allowed.
pub(super) fn too_large(error: &regex::Error) -> Problem {
    Problem::new(ErrorKind::Setup, error.to_string())
}

impl Attempt<'_> {
    /// The models that the agent's code asks, with the scripts of the test. A replay asks no agent, and so no model: it has what was
    /// recorded.
    pub(super) async fn models(
        &self,
        prepared: &Prepared,
        pace: &RequestPace,
    ) -> Result<Arc<AttemptModels>, Problem> {
        let hosted = &self.case.shared.models;
        let recorder = self.environment.recorder();
        if let Some(replayed) = self.environment.replayed_models() {
            let models = AttemptModels::replaying(replayed);
            return Ok(Arc::new(models.recorded_by(recorder)));
        }
        if hosted.is_empty() || !self.environment.is_live() {
            return Ok(Arc::default());
        }
        // Tests of a model that is not shared wait for each other, which does not count as time of the attempt.
        let mut opened = Ok(AttemptModels::default());
        pace.hold(async {
            opened = AttemptModels::open(hosted, &prepared.model_scripts, self.key).await;
        })
        .await;
        match opened {
            Ok(models) => Ok(Arc::new(models.recorded_by(recorder))),
            Err(error) => Err(Problem::new(ErrorKind::Model, error)),
        }
    }

    /// Lets programs that are started for this attempt ask its own lanes of the models.
    pub(super) fn point_programs_at(&self, models: &AttemptModels, options: &mut SessionOptions) {
        if models.is_empty() {
            return;
        }
        // A proxy cannot reach this machine, so that its variable has to name the hosts that need none.
        let no_proxy = self.environment.context.environment.text("NO_PROXY");
        options.programs = Arc::new(LaneLauncher {
            launcher: Arc::clone(&options.programs),
            variables: models.variables(no_proxy),
        });
    }

    /// The session of an agent whose turns its models know.
    pub(super) fn with_models(
        &self,
        session: Box<dyn Session>,
        models: &Arc<AttemptModels>,
        pace: &RequestPace,
    ) -> Box<dyn Session> {
        if models.is_empty() {
            return session;
        }
        let clock = Arc::clone(&self.environment.context.clock);
        let pace = pace.with_limit(None);
        Box::new(ModelledSession::new(
            session,
            Arc::clone(models),
            pace,
            clock,
        ))
    }
}
