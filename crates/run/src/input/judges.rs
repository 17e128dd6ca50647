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
    /// Asks the judge that `asked` names, as often as it says, and returns its answers for the rule to evaluate.
    pub(super) async fn decide(&self, asked: &JudgeQuestion) -> Result<Decision, Halt> {
        let scripts = self.helpers.scripts;
        let Attempt {
            case,
            environment,
            key,
            ..
        } = scripts.attempt;
        // With `--no-judge` the rule neither passes nor fails.
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
        self.refuse_own_judge(agent, &judge, connector.as_deref())?;

        // Each question has a conversation of its own, so that no judge sees what another was asked.
        let question = HelperQuestion {
            role: HelperRole::Validator,
            test_id: Some(key.test.clone()),
            keys: keys.clone(),
            connector: connector.clone(),
        };
        let lane = environment.helper_lane(question.role.name());
        let answers = self.answers(asked, &judge, &lane, &question).await?;
        // The rule compares the answers with the threshold and the quorum, and turns the result around if it is negated.
        Ok(Decision::Ruled(Ruling {
            judge: agent.clone(),
            lane: lane.to_string(),
            threshold: threshold.clone(),
            quorum: *quorum,
            is_negated: *is_negated,
            answers,
        }))
    }

    /// The answers of the judge, which is asked the same question once for each of its `runs`.
    async fn answers(
        &self,
        asked: &JudgeQuestion,
        judge: &PreparedHelper,
        lane: &Lane,
        question: &HelperQuestion,
    ) -> Result<Vec<JudgeAnswer>, Halt> {
        let agent = &asked.agent;
        // A judge may quote what it was asked. A verdict in a quotation is not its own, so quotations are skipped when its text
        // is read.
        let quotable = QuotableText::of(asked.judged());
        let kind = ErrorKind::Judge;
        let mut answers = Vec::new();
        for _ in 0..asked.runs {
            let answer = self
                .helpers
                .ask(agent, judge, lane.clone(), question, kind, |text| {
                    read_judge_answer(text, &quotable)
                })
                .await?;
            // An answer that cannot be compared with the threshold is an error of the judge, and no verdict about the agent.
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

    /// Refuses a judge that is the agent under test: no agent may evaluate itself.
    ///
    /// # Errors
    /// If the judge `name` has the address or the name of the agent under test.
    fn refuse_own_judge(
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
        // Two targets with one address are the same agent under two names. A recording need not contain addresses, but its test
        // was checked when it was recorded.
        let address = if environment.mode() == Mode::Replay {
            None
        } else {
            judge.target.address(connector)
        };
        let has_same_address = address.is_some() && address == self.tested.address(None);
        // A rule can name its judge by the `agentId` of a target, so the name of that target is compared. A name without a
        // target does not come here, since no judge could be prepared for it.
        let resolved_name = self.helpers.scripts.attempt.case.plan.agent(name).ok();
        if has_same_address || resolved_name == Some(outcome.test.target.as_str()) {
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
