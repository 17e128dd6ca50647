//! What a file has said so far: its lines are added one by one, each where it is allowed.

use std::time::Duration;

use bytes::Bytes;
use serde_json::{Map, Value};

use super::line::{
    EVENT, EndKind, EndLine, ExitLine, FailureLine, HeadLine, Heading, HookLine, ModelsLine,
    RecordingLine, RequestLine, RunLine, ScriptLine, TypedLine,
};
use crate::exchange::{
    BodyEnd, ExchangeKey, ProgramLine, ProgramRun, ProgramRunEnd, Recorded, RecordedExchange,
    RecordedResponse, ScriptAnswer, TypedInput,
};

use crate::recorded_models::{AFTER_LAST_STEP, ExchangeStep, RecordedModels};
use ananke_agents::{Method, ResponseHead};
use ananke_base::context::CaseKey;
use ananke_base::message::Lane;
use ananke_trace::outcome::{ErrorKind, Problem};
use ananke_trace::process::ExitStatus;
use ananke_trace::trace::ModelUse;

const OUTSIDE: &str = "this line belongs to an exchange, and none is open";
const INSIDE: &str = "this line cannot stand inside an exchange";

/// The content of the lines that were read.
pub(super) struct RecordingContent {
    pub(super) key: CaseKey,
    /// Whether its version has a hash.
    has_hash: bool,
    /// Whether the lines before the hash are those that it was made of.
    pub(super) is_intact: Option<bool>,
    recorded: Recorded,
    exchanges: Vec<RecordingReader>,
    /// The program whose end is still to be read.
    program: Option<ProgramRun>,
}

struct RecordingReader {
    exchange: RecordedExchange,
    received: Option<ReceivedParts>,
    ended: bool,
}

/// An answer whose end is still to be read.
struct ReceivedParts {
    at: u64,
    head: ResponseHead,
    pieces: Vec<(u64, Bytes)>,
}

impl RecordingContent {
    /// The content of a file after its first line.
    pub(super) fn of(heading: Heading) -> Self {
        // Versions before 1.3 have no hash.
        let minor = heading
            .version
            .split('.')
            .nth(1)
            .and_then(|minor| minor.parse().ok());
        Self {
            key: CaseKey {
                test: heading.test,
                run: heading.run,
                attempt: heading.attempt,
            },
            has_hash: minor.is_none_or(|minor: u32| minor >= 3),
            is_intact: None,
            recorded: Recorded {
                started_unix_us: heading.started_unix_us,
                ended_unix_ms: heading.ended_unix_ms,
                ids: heading.ids,
                secrets: heading.secrets,
                actions: heading.actions,
                models: heading.sees_models.then(RecordedModels::default),
                ..Recorded::default()
            },
            exchanges: Vec::new(),
            program: None,
        }
    }

    /// The content of the whole file; `None` if an exchange or a program has no end.
    pub(super) fn into_recorded(self) -> Option<(CaseKey, Recorded)> {
        let is_open = self.exchanges.last().is_some_and(|last| !last.ended);
        if is_open || self.program.is_some() {
            return None;
        }
        let exchanges = self
            .exchanges
            .into_iter()
            .map(|reading| reading.exchange)
            .collect();
        let is_edited = self.is_intact.map_or(self.has_hash, |is_intact| !is_intact);
        let recorded = Recorded {
            exchanges,
            is_edited,
            ..self.recorded
        };
        Some((self.key, recorded))
    }

    /// Adds the next line.
    ///
    /// # Errors
    /// If the line is not allowed there, or its parts do not belong together: the message.
    pub(super) fn add(&mut self, line: RecordingLine) -> Result<(), &'static str> {
        if let Some(run) = self.program.take() {
            return self.add_to_program(run, line);
        }
        let is_before = self.exchanges.is_empty() && self.recorded.programs.is_empty();
        let is_open = self.open().is_ok();
        match line {
            RecordingLine::Hash(_) => return Err("the hash is the last line"),
            RecordingLine::Recording(_) => {
                return Err("only the first line says which test it is of");
            }
            RecordingLine::Hook(line) if is_before => self.recorded.hooks.push(hook_output(line)?),
            RecordingLine::Setup(gave) if is_before && self.recorded.hooks.is_empty() => {
                self.recorded.setup = gave;
            }
            RecordingLine::Hook(_) | RecordingLine::Setup(_) => {
                return Err("hooks stand before the first request");
            }
            RecordingLine::Sent(_)
            | RecordingLine::Output(_)
            | RecordingLine::Closed(_)
            | RecordingLine::Exit(_) => {
                return Err("this line belongs to a program, and none runs");
            }
            RecordingLine::Script(_)
            | RecordingLine::Typed(_)
            | RecordingLine::Request(_)
            | RecordingLine::Program(_)
            | RecordingLine::Models(_)
            | RecordingLine::ModelProblem(_)
                if is_open =>
            {
                return Err(INSIDE);
            }
            RecordingLine::Typed(line) => self.recorded.typed.push(typed_input(line)?),
            RecordingLine::Script(line) => {
                let answer = script_answer(line, self.exchanges.len())?;
                self.recorded.scripts.push(answer);
            }
            RecordingLine::Request(line) => self.exchanges.push(self.requested(line)?),
            RecordingLine::Program(line) => self.program = Some(started_run(line)?),
            RecordingLine::Models(line) => {
                let used = model_use(line)?;
                self.models()?.used.push_back(used);
            }
            RecordingLine::ModelProblem(line) => {
                let models = self.models()?;
                models.failed = line.failed_in;
                models.problem = Some(line.problem.problem(ErrorKind::Model));
            }
            RecordingLine::Head(line) => self.open()?.receive(line)?,
            RecordingLine::Event(line) => {
                let whole = [EVENT.0, line.data.get(), EVENT.1].concat();
                self.piece(line.at_us, whole.into())?;
            }
            RecordingLine::Text(line) => self.piece(line.at_us, line.text.into())?,
            RecordingLine::Bytes(line) => self.piece(line.at_us, line.bytes()?.into())?,
            RecordingLine::End(line) => self.open()?.end(line)?,
        }
        Ok(())
    }

    /// The exchange whose end is still to be read.
    fn open(&mut self) -> Result<&mut RecordingReader, &'static str> {
        self.exchanges
            .last_mut()
            .filter(|reading| !reading.ended)
            .ok_or(OUTSIDE)
    }

    /// The happenings with models.
    fn models(&mut self) -> Result<&mut RecordedModels, &'static str> {
        let models = self.recorded.models.as_mut();
        models.ok_or("only a recording with `sees_models` has calls to models")
    }

    /// Adds a piece of the body of the open exchange.
    fn piece(&mut self, at: u64, bytes: Bytes) -> Result<(), &'static str> {
        let received = self.open()?.received.as_mut().ok_or(OUTSIDE)?;
        received.pieces.push((at, bytes));
        Ok(())
    }

    /// The exchange that a request begins.
    fn requested(&self, request: RequestLine) -> Result<RecordingReader, &'static str> {
        let method = request
            .method
            .as_deref()
            .map_or(Some(Method::Post), method_named)
            .ok_or("a method is `GET`, `POST` or `DELETE`")?;
        let lane = lane_named(request.lane)?;
        let before = self.exchanges.iter().map(|reading| &reading.exchange.key);
        let next = ExchangeKey::after(before, request.turn, &lane);
        let number = request.exchange.unwrap_or(next.number);
        if number < next.number {
            return Err("the exchanges of a lane in a turn have ascending numbers");
        }
        let body = request
            .body
            .map(|body| body.get().to_owned())
            .or(request.text);
        Ok(RecordingReader {
            exchange: RecordedExchange {
                key: ExchangeKey { number, ..next },
                sent: request.at_us,
                method,
                path: request.path,
                body: body.unwrap_or_default(),
                hash: request.hash,
                answer: RecordedResponse::Late(None),
                closed: None,
            },
            received: None,
            ended: false,
        })
    }

    /// Adds the next line of the program that runs.
    fn add_to_program(
        &mut self,
        mut run: ProgramRun,
        line: RecordingLine,
    ) -> Result<(), &'static str> {
        let line = match line {
            RecordingLine::Exit(exit) => {
                self.recorded.programs.push(ended_run(run, exit)?);
                return Ok(());
            }
            RecordingLine::Sent(sent) => ProgramLine::Sent {
                turn: sent.turn,
                line: String::from_utf8(sent.line.into_bytes()?)
                    .map_err(|_| "a line to a program is UTF-8")?,
                at: sent.at_us,
            },
            RecordingLine::Output(output) => {
                ProgramLine::Received(output.at_us, output.line.into_bytes()?.into())
            }
            RecordingLine::Closed(closed) => ProgramLine::Closed(closed.at_us),
            _ => return Err(INSIDE),
        };
        run.lines.push(line);
        self.program = Some(run);
        Ok(())
    }
}

/// The given value, or the reason that there is none: a line has one of the two.
fn either<T, E>(
    gave: Option<T>,
    missing: Option<E>,
    message: &'static str,
) -> Result<Result<T, E>, &'static str> {
    match (gave, missing) {
        (Some(gave), None) => Ok(Ok(gave)),
        (None, Some(missing)) => Ok(Err(missing)),
        _ => Err(message),
    }
}

/// The output of a hook, or its problem.
fn hook_output(line: HookLine) -> Result<Result<Map<String, Value>, Problem>, &'static str> {
    let failed = line.failed.map(|failed| failed.problem(ErrorKind::Hook));
    either(
        line.output,
        failed,
        "a hook has either `output` or `failed`",
    )
}

fn typed_input(line: TypedLine) -> Result<TypedInput, &'static str> {
    let message = "what a person typed has either `text` or `missing`";
    Ok(TypedInput {
        turn: line.turn,
        gave: either(line.text, line.missing, message)?,
    })
}

/// The answer of a script that ran after so many exchanges.
fn script_answer(line: ScriptLine, after: usize) -> Result<ScriptAnswer, &'static str> {
    let failed = line.failed.map(|failed| failed.problem(ErrorKind::Script));
    let message = "a script has either `answer` or `failed`";
    Ok(ScriptAnswer {
        after,
        turn: line.turn,
        name: line.name,
        request: line.request,
        gave: either(line.answer, failed, message)?,
    })
}

/// The happenings with models at one step.
fn model_use(line: ModelsLine) -> Result<(ExchangeStep, ModelUse), &'static str> {
    let mut calls = Vec::new();
    for call in line.calls {
        let Ok(call) = serde_json::from_value(call) else {
            return Err(
                "a call to a model has `name`, `api`, `request`, `answer` and `answered_by`",
            );
        };
        calls.push(call);
    }
    let place = ExchangeStep {
        turn: line.turn,
        exchange: line.exchange,
        step: line.step.unwrap_or(AFTER_LAST_STEP),
    };
    let used = ModelUse {
        calls,
        asked_again: line.asked_again,
        passed: Duration::from_micros(line.passed_us.unwrap_or_default()),
    };
    Ok((place, used))
}

fn lane_named(name: Option<String>) -> Result<Lane, &'static str> {
    let lane = name.map_or(Some(Lane::Agent), |lane| Lane::parse(&lane));
    lane.ok_or("a lane is `agent`, or a role and a number, such as `judge.1`")
}

/// The program that a line starts.
fn started_run(line: RunLine) -> Result<ProgramRun, &'static str> {
    Ok(ProgramRun {
        key: ExchangeKey {
            turn: line.turn,
            lane: lane_named(line.lane)?,
            number: line.exchange,
        },
        argv: line.argv,
        lines: Vec::new(),
        end: ProgramRunEnd::Left,
        stderr: None,
        note: None,
        closed: 0,
    })
}

fn ended_run(run: ProgramRun, exit: ExitLine) -> Result<ProgramRun, &'static str> {
    let ExitLine {
        how,
        at_us,
        code,
        signal,
        failed,
        stderr,
        note,
        closed_us: closed,
    } = exit;
    let status = code
        .map(ExitStatus::Exit)
        .or(signal.map(ExitStatus::Signal));
    let end = match (how, at_us, failed) {
        (EndKind::Complete, Some(at), None) => ProgramRunEnd::Complete(at, status),
        (EndKind::TooLarge, Some(at), None) => ProgramRunEnd::TooLarge(at),
        (EndKind::Left, None, None) => ProgramRunEnd::Left,
        (EndKind::Failed, None, Some(FailureLine { message, help, .. })) => {
            ProgramRunEnd::Failed(message, help)
        }
        _ => {
            return Err(
                "a program ends as `complete` or `too_large` with `at_us`, `left`, or `failed`",
            );
        }
    };
    Ok(ProgramRun {
        end,
        stderr,
        note,
        closed,
        ..run
    })
}

fn method_named(name: &str) -> Option<Method> {
    [Method::Get, Method::Post, Method::Delete]
        .into_iter()
        .find(|method| method.as_str() == name)
}

impl RecordingReader {
    /// Takes over the head of the response.
    fn receive(&mut self, line: HeadLine) -> Result<(), &'static str> {
        if self.received.is_some() {
            return Err(OUTSIDE);
        }
        let head = ResponseHead {
            status: line.status,
            content_type: line.content_type,
            location: line.location,
            headers: line.headers,
            proxy: line.proxy,
        };
        self.received = Some(ReceivedParts {
            at: line.at_us,
            head,
            pieces: Vec::new(),
        });
        Ok(())
    }

    /// Ends the exchange.
    fn end(&mut self, line: EndLine) -> Result<(), &'static str> {
        self.ended = true;
        self.exchange.closed = line.closed_us;
        self.exchange.answer = match (line.how, self.received.take()) {
            (EndKind::Late, None) => RecordedResponse::Late(line.message),
            (EndKind::Failed, None) => {
                RecordedResponse::Failed(line.message.unwrap_or_default(), line.help)
            }
            (
                EndKind::Complete | EndKind::Broken | EndKind::Left,
                Some(ReceivedParts { at, head, pieces }),
            ) => RecordedResponse::Received {
                at,
                head,
                pieces,
                end: body_end(line)?,
            },
            _ => {
                return Err(
                    "an answer with a head ends as `complete`, `broken` or `left`, one without as `late` or `failed`",
                );
            }
        };
        Ok(())
    }
}

/// The end of a body that was received.
fn body_end(line: EndLine) -> Result<BodyEnd, &'static str> {
    Ok(match line.how {
        EndKind::Complete => BodyEnd::Complete,
        EndKind::Broken => {
            let at = line
                .at_us
                .ok_or("a connection that broke says when: `at_us`")?;
            BodyEnd::Broken(at, line.message.unwrap_or_default())
        }
        _ => BodyEnd::Left,
    })
}
