//! The simulator of a test: another agent, or a script, that says what the user says next.
//!
//! **Invariant:** what a simulator does not answer clearly is an error, never an input.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::helpers::Helpers;
use super::script_oracle::ScriptOracle;
use crate::attempt::Attempt;
use crate::hook::Expected;
use ananke_agents::Limits;
use ananke_conversation::ConversationSoFar;
use ananke_conversation::helper::{
    HelperQuestion, HelperRole, QuotableText, SimulatorAnswer, read_simulator_answer,
    read_simulator_value,
};
use ananke_plan::compile::{CompiledSimulation, SimulatorSource};
use ananke_rules::{ScriptSource, whole_conversation};
use ananke_trace::outcome::{ErrorKind, Halt, Problem};

/// The keys of a question with what was said and done.
const HEARD: [&str; 3] = ["conversation", "last_response", "tool_results"];

/// Plays the user of one attempt.
pub(crate) struct Simulator<'a> {
    pub(crate) helpers: Helpers<'a>,
    pub(crate) simulation: CompiledSimulation,
    /// The conversation's thread.
    pub(crate) thread_id: String,
}

/// The text that a simulator may quote, since `question` contains it.
fn heard(question: &HelperQuestion) -> QuotableText {
    QuotableText::of(HEARD.iter().filter_map(|key| question.keys.get(*key)))
}

impl Simulator<'_> {
    /// The input of the user in the turn `number`, counted from 1, within the time that is left.
    ///
    /// # Errors
    /// If the simulator does not say it.
    pub(super) async fn ask(
        &self,
        number: usize,
        so_far: ConversationSoFar<'_>,
        left: Duration,
    ) -> Result<SimulatorAnswer, Halt> {
        let question = self.question(number, so_far);
        let answer = match &self.simulation.simulator {
            SimulatorSource::Agent(name) => self.ask_agent(name, &question, left).await,
            SimulatorSource::Script(script) => self.ask_script(script, &question).await,
        };
        answer.map_err(|halt| match halt {
            Halt::Broken(problem) if problem.kind == ErrorKind::Simulator => {
                Halt::from(problem).because(|message| format!("simulator error: {message}"))
            }
            halt => halt,
        })
    }

    async fn ask_agent(
        &self,
        name: &str,
        question: &HelperQuestion,
        left: Duration,
    ) -> Result<SimulatorAnswer, Halt> {
        let ScriptOracle {
            attempt: Attempt {
                case, environment, ..
            },
            ..
        } = self.helpers.scripts;
        let prepared = self.helpers.scripts.preparation().helper(name);
        let prepared = prepared.map_err(|error| Problem {
            kind: ErrorKind::Simulator,
            ..case.unprepared(error)
        })?;
        environment.add_secrets(&prepared.secrets);
        let lane = environment.helper_lane(question.role.name());
        let deadline = environment.context.clock.now().plus(left);
        let deadline = self
            .helpers
            .limits
            .deadline
            .map_or(deadline, |whole| whole.min(deadline));
        let limits = Limits {
            deadline: Some(deadline),
            ..self.helpers.limits.clone()
        };
        let helpers = Helpers {
            limits,
            ..self.helpers.clone()
        };
        let heard = heard(question);
        helpers
            .ask(
                name,
                &prepared,
                lane,
                question,
                ErrorKind::Simulator,
                |text| read_simulator_answer(text, &heard),
            )
            .await
    }

    async fn ask_script(
        &self,
        script: &ScriptSource,
        question: &HelperQuestion,
    ) -> Result<SimulatorAnswer, Halt> {
        let body = question.body();
        let answer = self
            .helpers
            .scripts
            .ask(script, None, &body, Expected::UserInput)
            .await;
        let answer = answer.map_err(|halt| match halt {
            Halt::Broken(problem) if problem.kind == ErrorKind::Script => Halt::Broken(Problem {
                kind: ErrorKind::Simulator,
                ..problem
            }),
            halt => halt,
        })?;
        let read = match &answer {
            // A text is read like what an agent says.
            Value::String(text) => read_simulator_answer(text, &heard(question)),
            answer => read_simulator_value(answer),
        };
        read.map_err(|found| {
            let message = format!("the script {script} answered with {found}");
            Problem::new(ErrorKind::Simulator, message).into()
        })
    }

    fn question(&self, number: usize, so_far: ConversationSoFar<'_>) -> HelperQuestion {
        let CompiledSimulation {
            persona,
            goal,
            connector,
            with,
            max_turns,
            ..
        } = &self.simulation;
        let ConversationSoFar { trace, checkpoints } = so_far;
        let Attempt { key, outcome, .. } = self.helpers.scripts.attempt;
        let mut of_trace = whole_conversation(trace);
        let mut take = |key: &str| of_trace.remove(key).unwrap_or_default();
        let history = outcome.transcript.history.iter();
        let mut conversation: Vec<Value> = history
            .map(|message| json!({ "role": message.role, "content": message.text, "turn": 0, "subagent": null }))
            .collect();
        if let Value::Array(messages) = take("messages") {
            conversation.extend(messages);
        }
        let is_of_last_turn =
            |call: &Value| call["turn"] == json!(trace.turns.len()) && call["status"] != "pending";
        let results: Vec<Value> = match take("tool_calls") {
            Value::Array(calls) => calls.into_iter().filter(is_of_last_turn).collect(),
            _ => Vec::new(),
        };
        let keys = [
            ("persona", json!(persona)),
            ("goal", json!(goal)),
            ("conversation", conversation.into()),
            ("last_response", take("output")),
            ("turn_number", json!(number)),
            ("turn_count", json!(number)),
            ("max_turns", json!(max_turns)),
            ("checkpoints_reached", checkpoints.reached().into()),
            ("checkpoints_pending", checkpoints.pending().into()),
            ("tool_results", results.into()),
            ("session_id", json!(self.thread_id)),
        ];
        let keys = keys.into_iter().map(|(key, value)| (key.to_owned(), value));
        HelperQuestion {
            role: HelperRole::Simulator,
            test_id: Some(key.test.clone()),
            keys: keys.chain(with.clone()).collect::<Map<_, _>>(),
            connector: connector.clone(),
        }
    }
}
