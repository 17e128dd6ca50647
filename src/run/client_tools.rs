//! Answers the calls that the client carries out, from mocks, or by a script that is asked.

use serde_json::{Value, json};

use crate::assertion::{ArgumentPatternMatcher, Program};
use crate::compile::{ClientTool, Mock, MockAnswer};
use crate::hook::Expected;
use crate::message::ToolAnswer;
use crate::outcome::{ErrorKind, Problem};
use crate::trace::{Origin, RunEnd, ToolCall, Trace};
use crate::variables::Patterns;

use super::attempt::Halt;
use super::scripts::Asking;

/// How many times in one turn an agent may wait for its client (SPEC 6).
const ROUNDS: usize = 25;

/// The mocks of one test.
pub(super) struct Mocks {
    tools: Vec<Tool>,
    /// How often the running turn was continued.
    rounds: usize,
}

struct Tool {
    name: String,
    answers: Answers,
    /// How many calls of it were answered.
    answered: usize,
}

enum Answers {
    /// Nothing says what to answer.
    Missing,
    LeftOpen,
    Always(MockAnswer),
    /// What this script says.
    Script(Program),
    Sequence(Vec<MockAnswer>),
    When(Vec<(ArgumentPatternMatcher, MockAnswer)>),
}

impl Mocks {
    /// # Errors
    /// Where a pattern compiles to more than is allowed.
    pub(super) fn start(tools: Vec<ClientTool>) -> Result<Self, regex::Error> {
        let mut patterns = Patterns::default();
        let mut started = Vec::with_capacity(tools.len());
        for ClientTool { declaration, mock } in tools {
            let answers = match mock {
                None => Answers::Missing,
                Some(Mock::LeftOpen) => Answers::LeftOpen,
                Some(Mock::Always(answer)) => Answers::Always(answer),
                Some(Mock::Script(name)) => Answers::Script(Program::Named(name)),
                Some(Mock::Sequence(answers)) => Answers::Sequence(answers),
                Some(Mock::When(cases)) => {
                    let cases =
                        cases.into_iter().map(|(args, answer)| Ok((args.start(&mut patterns)?, answer)));
                    Answers::When(cases.collect::<Result<_, regex::Error>>()?)
                }
            };
            started.push(Tool { name: declaration.name, answers, answered: 0 });
        }
        Ok(Self { tools: started, rounds: 0 })
    }

    pub(super) fn begin_turn(&mut self) {
        self.rounds = 0;
    }

    /// The answers to the calls that wait for the client at the end of an exchange; none where none waits, or where
    /// one of them is meant to stay open: the agent goes on only when all are answered.
    ///
    /// # Errors
    /// If a call has no answer, or the agent never stops calling.
    pub(super) async fn answer(
        &mut self,
        trace: &Trace,
        asking: Asking<'_>,
    ) -> Result<Vec<ToolAnswer>, Halt> {
        let ended = trace.exchanges.last().and_then(|exchange| exchange.run_end.as_ref());
        let Some(turn) =
            trace.turns.last().filter(|turn| ended == Some(&RunEnd::Finished) && !turn.input.is_replay)
        else {
            return Ok(Vec::new());
        };
        let calls = trace.calls.get(turn.calls.clone()).unwrap_or_default().iter();
        let waiting: Vec<&ToolCall> =
            calls.filter(|call| call.results.is_empty() && call.origin != Origin::History).collect();
        let mocked = |name: &str| self.tools.iter().position(|tool| tool.name == name);
        let waiting: Vec<(&ToolCall, usize)> =
            waiting.into_iter().filter_map(|call| Some((call, mocked(&call.name)?))).collect();
        if waiting.is_empty() || waiting.iter().any(|(_, tool)| self.tools[*tool].is_left_open()) {
            return Ok(Vec::new());
        }
        self.rounds += 1;
        if self.rounds > ROUNDS {
            let (call, _) = waiting[0];
            let problem = problem(
                format!("the agent still calls `{}` after {ROUNDS} rounds of answers in one turn", call.name),
                "does the agent take in the result? `-v` shows the calls",
            );
            return Err(problem.into());
        }
        let mut answers = Vec::with_capacity(waiting.len());
        for (call, tool) in waiting {
            let tool = &mut self.tools[tool];
            let answer = match &tool.answers {
                Answers::Script(script) => {
                    let request = request(trace, call, tool.answered + 1);
                    let said = asking.ask(script, None, &request, Expected::ToolAnswer).await;
                    let unanswered =
                        |why: &str| format!("the call of `{}` is not answered: {why}", tool.name);
                    read(&said.map_err(|halt| halt.because(unanswered))?)
                }
                answers => answers.written(call, &tool.name, tool.answered)?.clone(),
            };
            tool.answered += 1;
            let MockAnswer { content, is_error } = answer;
            answers.push(ToolAnswer { call: call.wire_id.clone(), content, is_error });
        }
        Ok(answers)
    }
}

impl Tool {
    fn is_left_open(&self) -> bool {
        matches!(self.answers, Answers::LeftOpen)
    }
}

impl Answers {
    /// The answer to a call of the tool `name` of which so many were answered before, where a mock says it.
    fn written(&self, call: &ToolCall, name: &str, answered: usize) -> Result<&MockAnswer, Problem> {
        match self {
            Self::Always(answer) => Ok(answer),
            Self::Sequence(answers) => answers.get(answered).ok_or_else(|| {
                problem(
                    format!("`{name}` is called once more than its mock has answers ({})", answers.len()),
                    "add an answer to the `sequence`, or limit the calls with `count`",
                )
            }),
            Self::When(cases) => {
                let fitting = cases.iter().find(|(args, _)| args.mismatch(call).is_none());
                fitting.map(|(_, answer)| answer).ok_or_else(|| unfitting(cases, call))
            }
            Self::Missing | Self::LeftOpen | Self::Script(_) => Err(problem(
                format!("the call of `{name}` waits for its client, and the tool has no mock"),
                "say what it answers with `mock: { result: … }`, or `mock: none` where it is meant to stay open",
            )),
        }
    }
}

/// What a script is told of a call, the one of this `number` among those of its tool, counted from 1.
fn request(trace: &Trace, call: &ToolCall, number: usize) -> Value {
    json!({
        "name": call.name,
        "args": call.args_value(),
        "call_id": call.wire_id,
        "number": number,
        "turn": trace.turns.len(),
        "thread": trace.thread_ids.first(),
    })
}

/// What a script said, `{result}` or `{error}`, as the answer of a mock.
fn read(said: &Value) -> MockAnswer {
    match said.get("error") {
        Some(error) => MockAnswer { content: error.clone(), is_error: true },
        None => MockAnswer { content: said["result"].clone(), is_error: false },
    }
}

fn unfitting(cases: &[(ArgumentPatternMatcher, MockAnswer)], call: &ToolCall) -> Problem {
    let mismatches = cases.iter().filter_map(|(args, _)| args.mismatch(call));
    let mismatches: Vec<String> =
        mismatches.zip(1..).map(|(mismatch, case)| format!("case {case}: {mismatch}")).collect();
    problem(
        format!("no case of the mock of `{}` fits the call: {}", call.name, mismatches.join("; ")),
        "add a case for it, or a last one without `args_match`",
    )
}

fn problem(message: String, help: &str) -> Problem {
    Problem { kind: ErrorKind::Conversation, message, help: Some(help.to_owned()) }
}
