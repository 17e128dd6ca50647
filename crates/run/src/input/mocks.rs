//! The mocks of one test: they execute client-side tools, from written answers or by asking a script.

use std::collections::HashMap;

use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use crate::hook::Expected;
use ananke_base::message::ToolAnswer;
use ananke_conversation::{Handling, ToolHost};
use ananke_model::variables::Patterns;
use ananke_plan::compile::{CompiledClientTool, CompiledMock, CompiledMockAnswer};
use ananke_rules::{PathConditions, ScriptSource};
use ananke_trace::outcome::{ErrorKind, Halt, Problem};
use ananke_trace::trace::{ToolCall, Trace};

use super::script_oracle::ScriptOracle;

/// The mocks of one test.
pub(crate) struct Mocks<'s> {
    /// The client-side tools by name.
    tools: HashMap<String, MockedTool>,
    scripts: ScriptOracle<'s>,
}

struct MockedTool {
    answers: Answers,
    /// The number of calls that were answered.
    answered: usize,
}

enum Answers {
    /// The test gives none: a call is an error.
    Missing,
    LeftOpen,
    Always(CompiledMockAnswer),
    Script(ScriptSource),
    Sequence(Vec<CompiledMockAnswer>),
    When(Vec<(PathConditions, CompiledMockAnswer)>),
}

impl<'s> Mocks<'s> {
    /// The mocks of these client-side tools, none of which was called yet. `scripts` executes the tools that have a script.
    ///
    /// # Errors
    /// If a pattern compiles to more than is allowed.
    pub(crate) fn start(
        tools: Vec<CompiledClientTool>,
        scripts: ScriptOracle<'s>,
    ) -> Result<Self, regex::Error> {
        // Equal patterns are compiled once.
        let mut patterns = Patterns::default();
        let mut started = HashMap::with_capacity(tools.len());
        for CompiledClientTool { declaration, mock } in tools {
            let answers = match mock {
                // A tool may have no mock: only a call to it is a problem.
                None => Answers::Missing,
                Some(CompiledMock::LeftOpen) => Answers::LeftOpen,
                Some(CompiledMock::Always(answer)) => Answers::Always(answer),
                Some(CompiledMock::Script(name)) => Answers::Script(ScriptSource::Named(name)),
                Some(CompiledMock::Sequence(answers)) => Answers::Sequence(answers),
                Some(CompiledMock::When(mut cases)) => {
                    // Patterns are compiled now, so that one that is too large is a problem before the agent is asked anything.
                    for (args, _answer) in &mut cases {
                        args.start(&mut patterns)?;
                    }
                    Answers::When(cases)
                }
            };
            let tool = MockedTool {
                answers,
                answered: 0,
            };
            started.insert(declaration.name, tool);
        }
        Ok(Self {
            tools: started,
            scripts,
        })
    }
}

impl ToolHost for Mocks<'_> {
    fn handling(&self, tool: &str) -> Handling {
        let Some(tool) = self.tools.get(tool) else {
            return Handling::Agent;
        };
        match tool.answers {
            Answers::LeftOpen => Handling::LeftOpen,
            // Without a mock a call is answered, too: with the error that says so.
            _ => Handling::Answered,
        }
    }

    /// The answer to a call, from the mock of its tool. `answered` counts the calls, since a mock may answer each differently.
    fn answer<'a>(
        &'a mut self,
        call: &'a ToolCall,
        trace: &'a Trace,
    ) -> BoxFuture<'a, Result<ToolAnswer, Halt>> {
        Box::pin(async move {
            // The agent may call a tool that the test does not give it.
            let Some(tool) = self.tools.get_mut(call.name.as_str()) else {
                return Err(no_mock(&call.name).into());
            };
            let answer = match &tool.answers {
                Answers::Script(script) => {
                    // The script gets the number of the call, counted from 1. Its timeout is that of its own settings.
                    let request = request(trace, call, tool.answered + 1);
                    let asked = self
                        .scripts
                        .ask(script, None, &request, Expected::ToolAnswer);
                    // The error of a script is about the script, so the call that waits for it is added.
                    let answer = asked.await.map_err(|halt| {
                        halt.because(|reason| {
                            format!("the call to `{}` is not answered: {reason}", call.name)
                        })
                    })?;
                    script_answer(&answer)
                }
                answers => answers.written(call, &call.name, tool.answered)?.clone(),
            };
            tool.answered += 1;
            Ok(ToolAnswer {
                call: call.wire_id.to_string(),
                content: answer.content,
                is_error: answer.is_error,
            })
        })
    }
}

impl Answers {
    /// The written answer to a call to the tool `name`, of which `answered` calls were answered before.
    ///
    /// # Errors
    /// If the mock has no answer to this call.
    fn written(
        &self,
        call: &ToolCall,
        name: &str,
        answered: usize,
    ) -> Result<&CompiledMockAnswer, Problem> {
        match self {
            Self::Always(answer) => Ok(answer),
            // Each answer is given once, so that a call too many is noticed.
            Self::Sequence(answers) => match answers.get(answered) {
                Some(answer) => Ok(answer),
                None => Err(problem(
                    format!(
                        "the mock of `{name}` has only {} answers, but the tool was called again",
                        answers.len()
                    ),
                    "add an answer to the `sequence`, or limit the calls with `count`",
                )),
            },
            // The first case that fits the arguments answers, so that a last one without conditions can be for all others.
            Self::When(cases) => {
                match cases.iter().find(|(args, _)| args.mismatch(call).is_none()) {
                    Some((_args, answer)) => Ok(answer),
                    None => Err(no_fitting_case(cases, call)),
                }
            }
            // None of these has a written answer. Calls to tools with a script or `mock: none` do not come here.
            Self::Missing | Self::LeftOpen | Self::Script(_) => Err(no_mock(name)),
        }
    }
}

/// The request to a script for a call; `number` is that of the call among those to its tool, counted from 1.
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

/// The answer of a script, `{result}` or `{error}`, as that of a mock.
fn script_answer(printed: &Value) -> CompiledMockAnswer {
    match printed.get("error") {
        Some(error) => CompiledMockAnswer {
            content: error.clone(),
            is_error: true,
        },
        None => CompiledMockAnswer {
            content: printed["result"].clone(),
            is_error: false,
        },
    }
}

fn no_mock(tool: &str) -> Problem {
    problem(
        format!("the call to `{tool}` waits for the client, but the tool has no mock"),
        "say what it answers with `mock: { result: … }`, or `mock: none` if it is to stay open",
    )
}

/// The problem of a call that no case of its mock fits, with the first mismatch of each case.
fn no_fitting_case(cases: &[(PathConditions, CompiledMockAnswer)], call: &ToolCall) -> Problem {
    let mut mismatches = Vec::new();
    for (args, _answer) in cases {
        if let Some(mismatch) = args.mismatch(call) {
            // Every case has a mismatch, so the length gives the number of the case, counted from 1.
            let number = mismatches.len() + 1;
            mismatches.push(format!("case {number}: {mismatch}"));
        }
    }
    problem(
        format!(
            "no case of the mock of `{}` fits the call: {}",
            call.name,
            mismatches.join("; ")
        ),
        "add a case for it, or a last one without `args_match` and `args_where`",
    )
}

fn problem(message: String, help: &str) -> Problem {
    Problem::new(ErrorKind::Conversation, message).help(help)
}
