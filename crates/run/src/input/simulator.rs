//! The simulator of a test: another agent, or a script, that says what the user says next.
//!
//! **Invariant:** what a simulator does not answer clearly is an error, never an input.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::helpers::Helpers;
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
        match answer {
            // Most problems of a test are the agent's: this one says that it is not.
            Err(Halt::Broken(problem)) if problem.kind == ErrorKind::Simulator => {
                let halt = Halt::from(problem);
                Err(halt.because(|message| format!("simulator error: {message}")))
            }
            answer => answer,
        }
    }

    async fn ask_agent(
        &self,
        name: &str,
        question: &HelperQuestion,
        left: Duration,
    ) -> Result<SimulatorAnswer, Halt> {
        let Attempt {
            case, environment, ..
        } = self.helpers.scripts.attempt;
        let prepared = self.helpers.scripts.preparation().helper(name);
        let prepared = prepared.map_err(|error| Problem {
            kind: ErrorKind::Simulator,
            ..case.unprepared(error)
        })?;
        environment.add_secrets(&prepared.secrets);
        let lane = environment.helper_lane(question.role.name());

        // The simulator may take what is left of the conversation, but not more than is left of the test.
        let mut deadline = environment.context.clock.now().plus(left);
        if let Some(whole) = self.helpers.limits.deadline {
            deadline = deadline.min(whole);
        }
        let helpers = Helpers {
            limits: Limits {
                deadline: Some(deadline),
                ..self.helpers.limits.clone()
            },
            ..self.helpers.clone()
        };
        let heard = heard(question);
        let kind = ErrorKind::Simulator;
        helpers
            .ask(name, &prepared, lane, question, kind, |text| {
                read_simulator_answer(text, &heard)
            })
            .await
    }

    async fn ask_script(
        &self,
        script: &ScriptSource,
        question: &HelperQuestion,
    ) -> Result<SimulatorAnswer, Halt> {
        let body = question.body();
        let scripts = &self.helpers.scripts;
        let asked = scripts.ask(script, None, &body, Expected::UserInput);
        let answer = match asked.await {
            Ok(answer) => answer,
            // An error of this script is one of the simulator.
            Err(Halt::Broken(problem)) if problem.kind == ErrorKind::Script => {
                let kind = ErrorKind::Simulator;
                return Err(Problem { kind, ..problem }.into());
            }
            Err(halt) => return Err(halt),
        };
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

        // The messages before the first turn are none of the trace, and are those of a turn 0.
        let history = outcome.transcript.history.iter();
        let mut conversation: Vec<Value> = history
            .map(|message| json!({ "role": message.role, "content": message.text, "turn": 0, "subagent": null }))
            .collect();
        if let Some(Value::Array(messages)) = of_trace.remove("messages") {
            conversation.extend(messages);
        }

        // The results that the agent got before it said what the user now answers.
        let mut results = Vec::new();
        if let Some(Value::Array(calls)) = of_trace.remove("tool_calls") {
            results = calls;
            let last = json!(trace.turns.len());
            results.retain(|call| call["turn"] == last && call["status"] != "pending");
        }
        let keys = [
            ("persona", json!(persona)),
            ("goal", json!(goal)),
            ("conversation", conversation.into()),
            (
                "last_response",
                of_trace.remove("output").unwrap_or_default(),
            ),
            ("turn_number", json!(number)),
            ("turn_count", json!(number)),
            ("max_turns", json!(max_turns)),
            ("checkpoints_reached", checkpoints.reached().into()),
            ("checkpoints_pending", checkpoints.pending().into()),
            ("tool_results", results.into()),
            ("session_id", json!(self.thread_id)),
        ];
        // The keys of the test come last, so that it can replace any.
        let mut all = Map::from_iter(keys.map(|(key, value)| (key.to_owned(), value)));
        all.extend(with.clone());
        HelperQuestion {
            role: HelperRole::Simulator,
            test_id: Some(key.test.clone()),
            keys: all,
            connector: connector.clone(),
        }
    }
}
