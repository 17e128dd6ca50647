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
const QUOTABLE: [&str; 3] = ["conversation", "last_response", "tool_results"];

/// Plays the user of one attempt.
pub(crate) struct Simulator<'a> {
    pub(crate) helpers: Helpers<'a>,
    pub(crate) simulation: CompiledSimulation,
    /// The conversation's thread.
    pub(crate) thread_id: String,
}

/// The text that a simulator may quote, since `question` contains it.
fn quotable_text(question: &HelperQuestion) -> QuotableText {
    QuotableText::of(QUOTABLE.iter().filter_map(|key| question.keys.get(*key)))
}

impl Simulator<'_> {
    /// Asks the simulator for the input of the user in the turn `number`, counted from 1. An agent must answer within the
    /// `remaining` time of the conversation; a script has a timeout of its own.
    ///
    /// # Errors
    /// If the simulator does not answer clearly.
    pub(super) async fn ask(
        &self,
        number: usize,
        so_far: ConversationSoFar<'_>,
        remaining: Duration,
    ) -> Result<SimulatorAnswer, Halt> {
        let question = self.question(number, so_far);
        let answer = match &self.simulation.simulator {
            SimulatorSource::Agent(name) => self.ask_agent(name, &question, remaining).await,
            SimulatorSource::Script(script) => self.ask_script(script, &question).await,
        };
        match answer {
            // Most problems of a test are the agent's, so the message says that this one is the simulator's.
            Err(Halt::Broken(problem)) if problem.kind == ErrorKind::Simulator => {
                let halt = Halt::from(problem);
                Err(halt.because(|message| format!("simulator error: {message}")))
            }
            answer => answer,
        }
    }

    /// The answer of the agent `name` that plays the user, within the `remaining` time of the conversation.
    async fn ask_agent(
        &self,
        name: &str,
        question: &HelperQuestion,
        remaining: Duration,
    ) -> Result<SimulatorAnswer, Halt> {
        let Attempt {
            case, environment, ..
        } = self.helpers.scripts.attempt;
        // A simulator that cannot be asked is an error of the simulator: the agent under test need not be wrong.
        let prepared = self.helpers.scripts.preparation().helper(name);
        let prepared = prepared.map_err(|error| Problem {
            kind: ErrorKind::Simulator,
            ..case.unprepared(error)
        })?;
        environment.add_secrets(&prepared.secrets);
        let lane = environment.helper_lane(question.role.name());

        // The simulator may take the rest of the conversation's time, but not more than the rest of the test's.
        let mut deadline = environment.context.clock.now().plus(remaining);
        if let Some(test_deadline) = self.helpers.limits.deadline {
            deadline = deadline.min(test_deadline);
        }
        let helpers = Helpers {
            limits: Limits {
                deadline: Some(deadline),
                ..self.helpers.limits.clone()
            },
            ..self.helpers.clone()
        };
        // A simulator may quote what it was asked. A quotation is not its answer, so it is skipped when its text is read.
        let quotable = quotable_text(question);
        let kind = ErrorKind::Simulator;
        helpers
            .ask(name, &prepared, lane, question, kind, |text| {
                read_simulator_answer(text, &quotable)
            })
            .await
    }

    /// The answer of a script that plays the user.
    async fn ask_script(
        &self,
        script: &ScriptSource,
        question: &HelperQuestion,
    ) -> Result<SimulatorAnswer, Halt> {
        let body = question.body();
        let scripts = &self.helpers.scripts;
        // Without a timeout here, the script has the one that its own settings give.
        let timeout_ms = None;
        let asked = scripts.ask(script, timeout_ms, &body, Expected::UserInput);
        let answer = match asked.await {
            Ok(answer) => answer,
            // The caller reports errors of the kind `simulator` as such, and this script is the simulator.
            Err(Halt::Broken(problem)) if problem.kind == ErrorKind::Script => {
                let kind = ErrorKind::Simulator;
                return Err(Problem { kind, ..problem }.into());
            }
            Err(halt) => return Err(halt),
        };
        let read = match &answer {
            // A script may print the text of an agent that it asked, so a text is read like the answer of an agent.
            Value::String(text) => read_simulator_answer(text, &quotable_text(question)),
            answer => read_simulator_value(answer),
        };
        read.map_err(|found_instead| {
            let message = format!("the script {script} answered with {found_instead}");
            Problem::new(ErrorKind::Simulator, message).into()
        })
    }

    /// The question to the simulator for the turn `number`: the persona and goal of the user, and the conversation so far.
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
        // `whole_conversation` has the keys with which scripts of rules get a conversation. Those that a simulator gets as well
        // are moved into its question.
        let mut trace_keys = whole_conversation(trace);

        // The trace has no messages of the history. They are added as those of a turn 0, before the first one.
        let history = outcome.transcript.history.iter();
        let mut conversation: Vec<Value> = history
            .map(|message| json!({ "role": message.role, "content": message.text, "turn": 0, "subagent": null }))
            .collect();
        if let Some(Value::Array(messages)) = trace_keys.remove("messages") {
            conversation.extend(messages);
        }

        // The user answers the last turn, so only calls that got a result in it are included.
        let mut results = Vec::new();
        if let Some(Value::Array(calls)) = trace_keys.remove("tool_calls") {
            results = calls;
            let last_turn = json!(trace.turns.len());
            results.retain(|call| call["turn"] == last_turn && call["status"] != "pending");
        }

        // A simulator can read the number of the turn by either of two names.
        let keys = [
            ("persona", json!(persona)),
            ("goal", json!(goal)),
            ("conversation", conversation.into()),
            (
                "last_response",
                trace_keys.remove("output").unwrap_or_default(),
            ),
            ("turn_number", json!(number)),
            ("turn_count", json!(number)),
            ("max_turns", json!(max_turns)),
            ("checkpoints_reached", checkpoints.reached().into()),
            ("checkpoints_pending", checkpoints.pending().into()),
            ("tool_results", results.into()),
            ("session_id", json!(self.thread_id)),
        ];
        // The keys that the test adds come last, so that it can replace any of these.
        let mut all_keys = Map::from_iter(keys.map(|(key, value)| (key.to_owned(), value)));
        all_keys.extend(with.clone());
        HelperQuestion {
            role: HelperRole::Simulator,
            test_id: Some(key.test.clone()),
            keys: all_keys,
            connector: connector.clone(),
        }
    }
}
