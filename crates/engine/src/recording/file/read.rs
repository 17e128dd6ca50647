//! From the lines of a file to what was recorded; what is wrong with a file is reported with the number of its line.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde_json::Value;

use super::line::{
    ClosedLine, EVENT, Encoded, EndKind, EndLine, EventLine, ExitLine, FailureLine, HeadLine,
    HookLine, MAJOR, OutputLine, RecordingLine, RequestLine, RunLine, ScriptLine, SentLine,
    TextLine, TypedLine, WrittenLine,
};
use crate::recording::exchange::{
    BodyEnd, ExchangeKey, ProgramLine, ProgramRun, ProgramRunEnd, Recorded, RecordedExchange,
    RecordedResponse, ScriptAnswer, TypedInput,
};

use ananke_agents::{Method, ResponseHead};
use ananke_base::context::{CaseKey, digest};
use ananke_base::message::Lane;
use ananke_trace::outcome::ErrorKind;
use ananke_trace::process::ExitStatus;

/// The error in a file: the number of the line, and the words.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::recording) struct RecordingError {
    pub(in crate::recording) line: usize,
    pub(in crate::recording) message: String,
}

/// The content of the file of `key`.
///
/// # Errors
/// If it is not a recording, is one of another test, or one that this program cannot read.
pub(in crate::recording) fn read(key: &CaseKey, text: &str) -> Result<Recorded, RecordingError> {
    read_any(text, |found| found == key).map(|(_, recorded)| recorded)
}

/// The content of a file, and which attempt it is of, if that one `is_expected`.
///
/// # Errors
/// If it is not a recording, is one of another attempt, or one that this program cannot read.
pub(in crate::recording) fn read_any(
    text: &str,
    is_expected: impl Fn(&CaseKey) -> bool,
) -> Result<(CaseKey, Recorded), RecordingError> {
    let mut recorded = None;
    let mut lines = 0;
    for (index, written) in text.lines().enumerate() {
        lines = index + 1;
        let wrong = |message: String| RecordingError {
            line: index + 1,
            message,
        };
        let read = serde_json::from_str::<RecordingLine>(written);
        let Some(recorded) = &mut recorded else {
            recorded = Some(read_heading(&is_expected, read, written).map_err(wrong)?);
            continue;
        };
        let line = read.map_err(|error| wrong(no_line(&error)))?;
        if let RecordingLine::Hash(written_hash) = &line {
            if recorded.is_intact.is_some() {
                return Err(wrong("a recording has one hash".to_owned()));
            }
            // A file may have been checked out with other ends of its lines.
            let before: String = text
                .lines()
                .take(index)
                .flat_map(|line| [line, "\n"])
                .collect();
            recorded.is_intact = Some(digest(&before) == *written_hash);
            continue;
        }
        if recorded.is_intact.is_some() {
            recorded.is_intact = Some(false);
        }
        add(recorded, line).map_err(|message| wrong(message.to_owned()))?;
    }
    let recorded = recorded.ok_or_else(|| RecordingError {
        line: 1,
        message: "the file is empty".to_owned(),
    })?;
    match (recorded.exchanges.last(), &recorded.program) {
        (Some(RecordingReader { ended: false, .. }), _) | (_, Some(_)) => Err(RecordingError {
            line: lines,
            message: "the file ends in the middle of an exchange".to_owned(),
        }),
        _ => Ok(recorded.into_recorded()),
    }
}

fn read_heading(
    is_expected: &dyn Fn(&CaseKey) -> bool,
    line: serde_json::Result<RecordingLine>,
    written: &str,
) -> Result<RecordingContent, String> {
    let Ok(RecordingLine::Recording(heading)) = line else {
        let value: Value = serde_json::from_str(written).unwrap_or_default();
        let version = value["recording"]["version"].as_str().unwrap_or_default();
        if !version.is_empty() && version.split('.').next() != Some(MAJOR) {
            return Err(newer(version));
        }
        return Err("the first line of a recording says which test it is of".to_owned());
    };
    if heading.version.split('.').next() != Some(MAJOR) {
        return Err(newer(&heading.version));
    }
    let of = CaseKey {
        test: heading.test,
        run: heading.run,
        attempt: heading.attempt,
    };
    if !is_expected(&of) {
        return Err(format!(
            "this is the recording of `{}`, run {}, attempt {}",
            of.test, of.run, of.attempt
        ));
    }
    // Versions before 1.3 have no hash.
    let minor = heading
        .version
        .split('.')
        .nth(1)
        .and_then(|minor| minor.parse().ok());
    let has_hash = minor.is_none_or(|minor: u32| minor >= 3);
    Ok(RecordingContent {
        key: of,
        has_hash,
        is_intact: None,
        recorded: Recorded {
            started_unix_us: heading.started_unix_us,
            ended_unix_ms: heading.ended_unix_ms,
            ids: heading.ids,
            secrets: heading.secrets,
            actions: heading.actions,
            ..Recorded::default()
        },
        exchanges: Vec::new(),
        program: None,
    })
}

/// The message of the JSON reader, without its own number of the line, which is always 1.
fn no_line(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let message = text
        .rsplit_once(" at line ")
        .map_or(text.as_str(), |(message, _)| message);
    format!(
        "this is not a valid line of a recording: {message} (column {})",
        error.column()
    )
}

fn newer(version: &str) -> String {
    format!("recordings of version {version} are not known here, only those of {MAJOR}.x")
}

struct RecordingContent {
    key: CaseKey,
    /// Whether its version has a hash.
    has_hash: bool,
    /// Whether the lines before the hash are those that it was made of.
    is_intact: Option<bool>,
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
    fn into_recorded(self) -> (CaseKey, Recorded) {
        let exchanges = self
            .exchanges
            .into_iter()
            .map(|reading| reading.exchange)
            .collect();
        let is_edited = self.is_intact.map_or(self.has_hash, |is_intact| !is_intact);
        (
            self.key,
            Recorded {
                exchanges,
                is_edited,
                ..self.recorded
            },
        )
    }
}

fn add(all: &mut RecordingContent, read: RecordingLine) -> Result<(), &'static str> {
    const OUTSIDE: &str = "this line belongs to an exchange, and none is open";
    const INSIDE: &str = "this line cannot stand inside an exchange";
    if let Some(run) = &mut all.program {
        return match read {
            RecordingLine::Exit(exit) => {
                let run = all
                    .program
                    .take()
                    .map(|run| ended_run(run, exit))
                    .transpose()?;
                all.recorded.programs.extend(run);
                Ok(())
            }
            RecordingLine::Sent(_) | RecordingLine::Output(_) | RecordingLine::Closed(_) => {
                add_line(run, read)
            }
            _ => Err(INSIDE),
        };
    }
    let is_before = all.exchanges.is_empty() && all.recorded.programs.is_empty();
    let open = all.exchanges.last_mut().filter(|reading| !reading.ended);
    let piece = |open: Option<&mut RecordingReader>, at, bytes| {
        let received = open
            .and_then(|reading| reading.received.as_mut())
            .ok_or(OUTSIDE)?;
        received.pieces.push((at, bytes));
        Ok(())
    };
    match read {
        RecordingLine::Hash(_) => Err("the hash is the last line"),
        RecordingLine::Recording(_) => Err("only the first line says which test it is of"),
        RecordingLine::Hook(HookLine { output, failed }) if is_before => {
            all.recorded.hooks.push(match (output, failed) {
                (Some(output), None) => Ok(output),
                (None, Some(failed)) => Err(failed.problem(ErrorKind::Hook)),
                _ => return Err("a hook has either `output` or `failed`"),
            });
            Ok(())
        }
        RecordingLine::Setup(gave) if is_before && all.recorded.hooks.is_empty() => {
            all.recorded.setup = gave;
            Ok(())
        }
        RecordingLine::Hook(_) | RecordingLine::Setup(_) => {
            Err("hooks stand before the first request")
        }
        RecordingLine::Typed(line) if open.is_none() => {
            all.recorded.typed.push(typed_input(line)?);
            Ok(())
        }
        RecordingLine::Script(line) if open.is_none() => {
            all.recorded
                .scripts
                .push(script_answer(line, all.exchanges.len())?);
            Ok(())
        }
        RecordingLine::Request(RequestLine {
            turn,
            lane,
            exchange,
            at_us,
            method,
            path,
            body,
            text,
            hash,
        }) if open.is_none() => {
            let body = body
                .map(|body| body.get().to_owned())
                .or(text)
                .unwrap_or_default();
            let method = method.as_deref().map_or(Some(Method::Post), method_named);
            let method = method.ok_or("a method is `GET`, `POST` or `DELETE`")?;
            let lane = lane_named(lane)?;
            let before = all.exchanges.iter().map(|reading| &reading.exchange.key);
            let next = ExchangeKey::after(before, turn, &lane);
            let number = exchange.unwrap_or(next.number);
            if number < next.number {
                return Err("the exchanges of a lane in a turn have ascending numbers");
            }
            let (sent, answer) = (at_us, RecordedResponse::Late(None));
            let exchange = RecordedExchange {
                key: ExchangeKey { number, ..next },
                sent,
                method,
                path,
                body,
                hash,
                answer,
                closed: None,
            };
            all.exchanges.push(RecordingReader {
                exchange,
                received: None,
                ended: false,
            });
            Ok(())
        }
        RecordingLine::Program(RunLine {
            turn,
            lane,
            exchange,
            argv,
        }) if open.is_none() => {
            let (lane, lines, end, stderr, closed) =
                (lane_named(lane)?, Vec::new(), ProgramRunEnd::Left, None, 0);
            let number = exchange;
            all.program = Some(ProgramRun {
                key: ExchangeKey { turn, lane, number },
                argv,
                lines,
                end,
                stderr,
                closed,
            });
            Ok(())
        }
        RecordingLine::Sent(_)
        | RecordingLine::Output(_)
        | RecordingLine::Closed(_)
        | RecordingLine::Exit(_) => Err("this line belongs to a program, and none runs"),
        RecordingLine::Script(_)
        | RecordingLine::Typed(_)
        | RecordingLine::Request(_)
        | RecordingLine::Program(_) => Err(INSIDE),
        RecordingLine::Head(HeadLine {
            at_us,
            status,
            content_type,
            location,
            headers,
        }) => {
            let reading = open
                .filter(|reading| reading.received.is_none())
                .ok_or(OUTSIDE)?;
            let head = ResponseHead {
                status,
                content_type,
                location,
                headers,
            };
            reading.received = Some(ReceivedParts {
                at: at_us,
                head,
                pieces: Vec::new(),
            });
            Ok(())
        }
        RecordingLine::Event(EventLine { at_us, data }) => {
            let whole = [EVENT.0, data.get(), EVENT.1].concat();
            piece(open, at_us, Bytes::from(whole))
        }
        RecordingLine::Text(TextLine { at_us, text }) => piece(open, at_us, Bytes::from(text)),
        RecordingLine::Bytes(Encoded { at_us, base64 }) => {
            let bytes = STANDARD
                .decode(base64)
                .map_err(|_| "this is not valid base64")?;
            piece(open, at_us, Bytes::from(bytes))
        }
        RecordingLine::End(ending) => end(open.ok_or(OUTSIDE)?, ending),
    }
}

fn typed_input(line: TypedLine) -> Result<TypedInput, &'static str> {
    let gave = match (line.text, line.missing) {
        (Some(text), None) => Ok(text),
        (None, Some(missing)) => Err(missing),
        _ => return Err("what a person typed has either `text` or `missing`"),
    };
    Ok(TypedInput {
        turn: line.turn,
        gave,
    })
}

/// The answer of a script that ran after so many exchanges.
fn script_answer(line: ScriptLine, after: usize) -> Result<ScriptAnswer, &'static str> {
    let ScriptLine {
        turn,
        name,
        request,
        answer,
        failed,
    } = line;
    let gave = match (answer, failed) {
        (Some(answer), None) => Ok(answer),
        (None, Some(failed)) => Err(failed.problem(ErrorKind::Script)),
        _ => return Err("a script has either `answer` or `failed`"),
    };
    Ok(ScriptAnswer {
        after,
        turn,
        name,
        request,
        gave,
    })
}

fn lane_named(name: Option<String>) -> Result<Lane, &'static str> {
    let lane = name.map_or(Some(Lane::Agent), |lane| Lane::parse(&lane));
    lane.ok_or("a lane is `agent`, or a role and a number, such as `judge.1`")
}

fn bytes_of(line: WrittenLine) -> Result<Vec<u8>, &'static str> {
    match line {
        WrittenLine::Text(text) => Ok(text.into_bytes()),
        WrittenLine::Base64(base64) => STANDARD
            .decode(base64)
            .map_err(|_| "this is not valid base64"),
    }
}

/// Adds a line to or from the program that runs.
fn add_line(run: &mut ProgramRun, read: RecordingLine) -> Result<(), &'static str> {
    run.lines.push(match read {
        RecordingLine::Sent(SentLine {
            turn,
            at_us: at,
            line,
        }) => {
            let line =
                String::from_utf8(bytes_of(line)?).map_err(|_| "a line to a program is UTF-8")?;
            ProgramLine::Sent { turn, line, at }
        }
        RecordingLine::Output(OutputLine { at_us, line }) => {
            ProgramLine::Received(at_us, Bytes::from(bytes_of(line)?))
        }
        RecordingLine::Closed(ClosedLine { at_us }) => ProgramLine::Closed(at_us),
        _ => return Ok(()),
    });
    Ok(())
}

fn ended_run(run: ProgramRun, exit: ExitLine) -> Result<ProgramRun, &'static str> {
    let ExitLine {
        how,
        at_us,
        code,
        signal,
        failed,
        stderr,
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
        closed,
        ..run
    })
}

fn method_named(name: &str) -> Option<Method> {
    [Method::Get, Method::Post, Method::Delete]
        .into_iter()
        .find(|method| method.as_str() == name)
}

fn end(reading: &mut RecordingReader, ending: EndLine) -> Result<(), &'static str> {
    let EndLine {
        how,
        at_us,
        message,
        help,
        closed_us,
    } = ending;
    reading.ended = true;
    reading.exchange.closed = closed_us;
    let ReceivedParts { at, head, pieces } = match (how, reading.received.take()) {
        (EndKind::Late, None) => {
            reading.exchange.answer = RecordedResponse::Late(message);
            return Ok(());
        }
        (EndKind::Failed, None) => {
            let message = message.unwrap_or_default();
            reading.exchange.answer = RecordedResponse::Failed(message, help);
            return Ok(());
        }
        (EndKind::Complete | EndKind::Broken | EndKind::Left, Some(received)) => received,
        _ => {
            return Err(
                "an answer with a head ends as `complete`, `broken` or `left`, one without as `late` or `failed`",
            );
        }
    };
    let end = match how {
        EndKind::Complete => BodyEnd::Complete,
        EndKind::Broken => {
            let at = at_us.ok_or("a connection that broke says when: `at_us`")?;
            BodyEnd::Broken(at, message.unwrap_or_default())
        }
        _ => BodyEnd::Left,
    };
    reading.exchange.answer = RecordedResponse::Received {
        at,
        head,
        pieces,
        end,
    };
    Ok(())
}
