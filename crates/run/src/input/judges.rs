//! The judges of a test: other agents that are asked what its rules leave to them.
//!
//! **Invariant:** an agent is never its own judge; what a judge does not answer clearly is an error, never a verdict.

use futures_util::future::BoxFuture;

use super::helpers::Helpers;
use super::script_oracle::ScriptOracle;
use crate::attempt::Attempt;
use ananke_agents::Target;
use ananke_base::message::Lane;
use ananke_conversation::Oracle;
use ananke_conversation::helper::{HelperQuestion, HelperRole, QuotableText, read_judge_answer};
use ananke_model::variables::Mode;
use ananke_plan::PreparedHelper;
use ananke_plan::project::{OTHER_JUDGE, own_judge};
use ananke_rules::{Decision, Inquiry, JudgeQuestion, Question};
use ananke_trace::outcome::{ErrorKind, Halt, JudgeAnswer, Problem, Ruling};

/// Asks the judges of one attempt.
pub(crate) struct Judges<'a> {
    pub(crate) helpers: Helpers<'a>,
    pub(crate) tested: &'a dyn Target,
}

impl Judges<'_> {
    /// The decision of the judge that `asked` names.
    pub(super) async fn decide(&self, asked: &JudgeQuestion) -> Result<Decision, Halt> {
        let scripts = self.helpers.scripts;
        let Attempt {
            case,
            environment,
            key,
            ..
        } = scripts.attempt;
        if case.plan.settings.no_judge {
            return Ok(Decision::NotAsked);
        }
        let JudgeQuestion {
            agent,
            keys,
            connector,
            threshold,
            quorum,
            is_negated,
            ..
        } = asked;

        // A judge that cannot be asked is an error of the judge: the agent under test need not be wrong.
        let prepared = scripts.preparation().helper(agent);
        let judge = prepared.map_err(|error| Problem {
            kind: ErrorKind::Judge,
            ..case.unprepared(error)
        })?;
        environment.add_secrets(&judge.secrets);
        self.check(agent, &judge, connector.as_deref())?;

        // Each question has a lane of its own, so that no judge knows what another was asked.
        let question = HelperQuestion {
            role: HelperRole::Validator,
            test_id: Some(key.test.clone()),
            keys: keys.clone(),
            connector: connector.clone(),
        };
        let lane = environment.helper_lane(question.role.name());
        let answers = self.answers(asked, &judge, &lane, &question).await?;
        Ok(Decision::Ruled(Ruling {
            judge: agent.clone(),
            lane: lane.to_string(),
            threshold: threshold.clone(),
            quorum: *quorum,
            is_negated: *is_negated,
            answers,
        }))
    }

    /// The answer of the judge in each run.
    async fn answers(
        &self,
        asked: &JudgeQuestion,
        judge: &PreparedHelper,
        lane: &Lane,
        question: &HelperQuestion,
    ) -> Result<Vec<JudgeAnswer>, Halt> {
        let agent = &asked.agent;
        // A judge may quote what it was asked, and a verdict in a quotation is not its own.
        let judged = QuotableText::of(asked.judged());
        let kind = ErrorKind::Judge;
        let mut answers = Vec::new();
        for _ in 0..asked.runs {
            let answer = self
                .helpers
                .ask(agent, judge, lane.clone(), question, kind, |text| {
                    read_judge_answer(text, &judged)
                })
                .await?;
            if asked.threshold.is_some() && answer.score.is_none() {
                let message =
                    format!("the judge `{agent}` gave no score, which the `threshold` needs");
                let help = "have the judge answer with a `score`, or leave out the `threshold`";
                return Err(problem(message, help).into());
            }
            answers.push(answer);
        }
        Ok(answers)
    }

    /// Refuses a judge that is the agent under test.
    ///
    /// # Errors
    /// If it is.
    fn check(
        &self,
        name: &str,
        judge: &PreparedHelper,
        connector: Option<&str>,
    ) -> Result<(), Problem> {
        let Attempt {
            environment,
            outcome,
            ..
        } = self.helpers.scripts.attempt;
        // Two targets with one address are the same agent under two names. A replay may know no address, and was checked when
        // it was recorded.
        let address = if environment.mode() == Mode::Replay {
            None
        } else {
            judge.target.address(connector)
        };
        let is_same = address.is_some() && address == self.tested.address(None);
        let named = self.helpers.scripts.attempt.case.plan.agent(name).ok();
        if is_same || named == Some(outcome.test.target.as_str()) {
            return Err(problem(own_judge(name, &outcome.test.target), OTHER_JUDGE));
        }
        Ok(())
    }
}

fn problem(message: String, help: &str) -> Problem {
    Problem::new(ErrorKind::Judge, message).help(help)
}

/// Answers what the rules of one attempt ask.
pub(crate) struct TestOracle<'a> {
    pub(crate) scripts: ScriptOracle<'a>,
    pub(crate) judges: Judges<'a>,
}

impl Oracle for TestOracle<'_> {
    fn decide<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Result<Decision, Halt>> {
        Box::pin(async move {
            match &question.inquiry {
                Inquiry::Script(script) => self.scripts.decide(script).await,
                Inquiry::Judge(judge) => self.judges.decide(judge).await,
            }
        })
    }
}
