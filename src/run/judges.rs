//! The judges of a test: other agents that are asked what its rules leave to them.
//!
//! **Invariant:** an agent is never its own judge; what a judge does not answer clearly is an error, never a verdict.

use std::sync::{Arc, PoisonError};

use super::attempt::Attempt;
use super::mocks::Mocks;
use super::request_pace::RequestPace;
use super::script_oracle::ScriptOracle;
use crate::assertion::{Decision, JudgeQuestion};
use crate::context::CaseKey;
use crate::helper::{Helper, HelperQuestion, HelperRole, read_judge_answer};
use crate::message::Lane;
use crate::outcome::{ErrorKind, Halt, JudgeAnswer, Problem, Ruling};
use crate::plan::{Judging, PreparedHelper};
use crate::project::{OTHER_JUDGE, own_judge};
use crate::target::{Limits, Pacer, Target};
use crate::variables::Mode;

/// Asks the judges of one attempt.
pub(super) struct Judges<'a> {
    pub(super) scripts: ScriptOracle<'a>,
    /// The target under test.
    pub(super) tested: &'a dyn Target,
    /// How far an exchange may go, but for its timeout and the limits of the judge.
    pub(super) limits: Limits,
    /// When requests may be sent, but for the limits of the judge.
    pub(super) pace: &'a RequestPace,
}

impl Judges<'_> {
    /// What the judge decides that `asked` names.
    pub(super) async fn decide(&self, asked: &JudgeQuestion) -> Result<Decision, Halt> {
        let ScriptOracle { attempt: Attempt { case, environment, key, .. }, preparation } = self.scripts;
        if case.plan.judging == Judging::LeftOut {
            return Ok(Decision::NotAsked);
        }
        let JudgeQuestion { agent, keys, connector, threshold, runs, quorum, is_negated, .. } = asked;
        let prepared = preparation.lock().unwrap_or_else(PoisonError::into_inner).helper(agent);
        let judge = prepared.map_err(|error| Problem { kind: ErrorKind::Judge, ..case.unprepared(error) })?;
        environment.set_secrets(&judge.secrets);
        self.check(agent, &judge, connector.as_deref())?;
        let question = HelperQuestion {
            role: HelperRole::Validator,
            test_id: Some(key.test.clone()),
            keys: keys.clone(),
            connector: connector.clone(),
        };
        let lane = environment.helper_lane(question.role.name());
        let mut answers = Vec::new();
        for _ in 0..*runs {
            let answer = self.ask(agent, &judge, lane.clone(), key, &question).await?;
            if threshold.is_some() && answer.score.is_none() {
                let message = format!("the judge `{agent}` gave no score, which the `threshold` needs");
                let help = "have the judge answer with a `score`, or leave out the `threshold`";
                return Err(problem(message, help).into());
            }
            answers.push(answer);
        }
        Ok(Decision::Ruled(Ruling {
            judge: agent.clone(),
            lane: lane.to_string(),
            threshold: threshold.clone(),
            quorum: *quorum,
            is_negated: *is_negated,
            answers,
        }))
    }

    /// Whether the judge is another agent than the one under test; what is replayed was checked when it was recorded.
    fn check(&self, name: &str, judge: &PreparedHelper, connector: Option<&str>) -> Result<(), Problem> {
        let Attempt { environment, outcome, .. } = self.scripts.attempt;
        let is_live = environment.mode() != Mode::Replay;
        let address = judge.target.address(connector).filter(|_| is_live);
        let is_same = address.is_some_and(|address| self.tested.address(None) == Some(address));
        let named = self.scripts.attempt.case.plan.agent(name).ok();
        if is_same || named == Some(outcome.test.target.as_str()) {
            return Err(problem(own_judge(name, &outcome.test.target), OTHER_JUDGE));
        }
        Ok(())
    }

    async fn ask(
        &self,
        name: &str,
        judge: &PreparedHelper,
        lane: Lane,
        key: &CaseKey,
        question: &HelperQuestion,
    ) -> Result<JudgeAnswer, Halt> {
        let Attempt { case, environment, .. } = self.scripts.attempt;
        let PreparedHelper { target, client_tools, timeout, pace, .. } = judge;
        let rate = pace.rate.map(|rate| case.shared.target_limits.rate(rate));
        let pacer = environment.is_live().then(|| Arc::new(self.pace.with_limit(rate)) as Arc<dyn Pacer>);
        case.watchdog.extend(Helper::longest(*timeout + target.longest_wait()));
        let declared: Vec<_> = client_tools.iter().map(|tool| tool.declaration.clone()).collect();
        let mut mocks = Mocks::start(client_tools.clone(), self.scripts)
            .map_err(|error| problem(error.to_string(), "shorten the pattern"))?;
        let mut helper = Helper {
            role: question.role,
            name,
            lane,
            target: &**target,
            client_tools: declared.into(),
            tools: &mut mocks,
            limits: Limits { timeout: *timeout, pacer, ..self.limits.clone() },
            key: key.clone(),
            environment,
            observers: &|lane| self.scripts.attempt.observers(lane),
            kind: ErrorKind::Judge,
        };
        helper.ask(question, read_judge_answer).await
    }
}

fn problem(message: String, help: &str) -> Problem {
    Problem { kind: ErrorKind::Judge, message, help: Some(help.to_owned()) }
}
