//! From what was recorded to the lines of its file, secrets masked.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::line::{
    ClosedLine, EVENT, Encoded, EndKind, EndLine, EventLine, ExitLine, FailureLine, HeadLine,
    Heading, HookLine, ModelProblemLine, ModelsLine, OutputLine, RecordingLine, RequestLine,
    RunLine, ScriptLine, SentLine, TextLine, TypedLine, VERSION, WrittenLine,
};
use crate::exchange::{
    BodyEnd, ExchangeKey, ProgramLine, ProgramRun, ProgramRunEnd, Recorded, RecordedExchange,
    RecordedResponse, ScriptAnswer, TypedInput,
};

use crate::recorded_models::{AFTER_LAST_STEP, RecordedModels};
use ananke_agents::{Method, ResponseHead};
use ananke_base::context::{CaseKey, digest};
use ananke_base::message::Lane;
use ananke_base::text::escape;
use ananke_trace::outcome::{ErrorKind, Problem};
use ananke_trace::process::ExitStatus;
use ananke_trace::trace::ModelCall;

/// The text of the file that keeps `recorded`; `mark` replaces every secret by a marker.
pub(crate) fn write(key: &CaseKey, recorded: &Recorded, mark: &dyn Fn(&str) -> String) -> String {
    let mut out = RecordingWriter {
        text: String::new(),
        mark,
    };
    out.line(&RecordingLine::Recording(Heading {
        version: VERSION.to_owned(),
        test: mark(&key.test),
        run: key.run,
        attempt: key.attempt,
        started_unix_us: recorded.started_unix_us,
        ended_unix_ms: recorded.ended_unix_ms,
        ids: recorded.ids.clone(),
        secrets: recorded.secrets.clone(),
        sees_models: recorded.models.is_some(),
        actions: recorded.actions.iter().map(|name| mark(name)).collect(),
    }));
    if !recorded.setup.is_empty() {
        out.line(&RecordingLine::Setup(out.marked_map(&recorded.setup)));
    }
    for hook in &recorded.hooks {
        let (output, failed) = (hook.as_ref().ok(), hook.as_ref().err());
        out.line(&RecordingLine::Hook(HookLine {
            output: output.map(|output| out.marked_map(output)),
            failed: failed.map(|problem| out.failed(problem)),
        }));
    }
    let mut scripts = recorded.scripts.iter().peekable();
    for (index, exchange) in recorded.exchanges.iter().enumerate() {
        while let Some(answer) = scripts.next_if(|answer| answer.after <= index) {
            out.script(answer);
        }
        out.exchange(exchange);
    }
    scripts.for_each(|answer| out.script(answer));
    recorded.programs.iter().for_each(|run| out.program(run));
    if let Some(models) = &recorded.models {
        out.models(models);
    }
    for TypedInput { turn, gave } in &recorded.typed {
        out.line(&RecordingLine::Typed(TypedLine {
            turn: *turn,
            text: gave.as_ref().ok().map(|text| mark(text)),
            missing: gave.as_ref().err().map(|missing| mark(missing)),
        }));
    }
    out.line(&RecordingLine::Hash(digest(&out.text)));
    out.text
}

struct RecordingWriter<'a> {
    text: String,
    mark: &'a dyn Fn(&str) -> String,
}

impl RecordingWriter<'_> {
    fn line(&mut self, line: &RecordingLine) {
        // Strings, numbers and JSON that was read before: nothing that cannot be written.
        self.text.push_str(&escape::json(
            &serde_json::to_string(line).unwrap_or_default(),
        ));
        self.text.push('\n');
    }

    fn script(&mut self, answer: &ScriptAnswer) {
        let (gave, failed) = (answer.gave.as_ref().ok(), answer.gave.as_ref().err());
        self.line(&RecordingLine::Script(ScriptLine {
            turn: answer.turn,
            name: (self.mark)(&answer.name),
            request: answer.request.clone(),
            answer: gave.map(|gave| self.marked(gave)),
            failed: failed.map(|problem| self.failed(problem)),
        }));
    }

    fn models(&mut self, models: &RecordedModels) {
        for (place, used) in &models.used {
            // Scripts name milliseconds, which are few.
            let micros = u64::try_from(used.passed.as_micros()).unwrap_or(u64::MAX);
            let mut calls = Vec::new();
            for call in &used.calls {
                calls.push(self.call(call));
            }
            self.line(&RecordingLine::Models(ModelsLine {
                turn: place.turn,
                exchange: place.exchange,
                step: (place.step != AFTER_LAST_STEP).then_some(place.step),
                passed_us: (micros > 0).then_some(micros),
                calls,
                asked_again: used.asked_again.clone(),
            }));
        }
        if let Some(problem) = &models.problem {
            self.line(&RecordingLine::ModelProblem(ModelProblemLine {
                failed_in: models.failed,
                problem: self.failed(problem),
            }));
        }
    }

    fn call(&self, call: &ModelCall) -> Value {
        // Texts, numbers and JSON that was read before: nothing that cannot be written.
        let written = serde_json::to_value(call).unwrap_or_default();
        let mut marked = self.marked(&written);
        // A number of tokens is no secret, and a text in its place could not be read.
        if let Some(usage) = written["answer"].get("usage") {
            marked["answer"]["usage"].clone_from(usage);
        }
        marked
    }

    fn failed(&self, problem: &Problem) -> FailureLine {
        let kind = (problem.kind == ErrorKind::Timeout).then_some(problem.kind);
        self.failure(&problem.message, problem.help.as_deref(), kind)
    }

    fn failure(&self, message: &str, help: Option<&str>, kind: Option<ErrorKind>) -> FailureLine {
        FailureLine {
            message: (self.mark)(message),
            kind: kind.map(|kind| kind.as_str().to_owned()),
            help: help.map(self.mark),
        }
    }

    fn lane(&self, lane: &Lane) -> Option<String> {
        (*lane != Lane::Agent).then(|| (self.mark)(&lane.to_string()))
    }

    fn exchange(&mut self, exchange: &RecordedExchange) {
        self.request(exchange);
        let mut ending = EndLine {
            how: EndKind::Late,
            at_us: None,
            message: None,
            help: None,
            closed_us: exchange.closed,
        };
        match &exchange.answer {
            RecordedResponse::Late(missing) => ending.message = missing.as_deref().map(self.mark),
            RecordedResponse::Failed(message, help) => {
                ending.how = EndKind::Failed;
                ending.message = Some((self.mark)(message));
                ending.help = help.as_deref().map(self.mark);
            }
            RecordedResponse::Received {
                at,
                head,
                pieces,
                end,
            } => {
                self.line(&RecordingLine::Head(self.head(*at, head)));
                for (at, piece) in pieces {
                    self.piece(*at, piece);
                }
                match end {
                    BodyEnd::Complete => ending.how = EndKind::Complete,
                    BodyEnd::Left => ending.how = EndKind::Left,
                    BodyEnd::Broken(at, cause) => {
                        ending.how = EndKind::Broken;
                        ending.at_us = Some(*at);
                        ending.message = Some((self.mark)(cause));
                    }
                }
            }
        }
        self.line(&RecordingLine::End(ending));
    }

    fn request(&mut self, exchange: &RecordedExchange) {
        let ExchangeKey { turn, lane, number } = &exchange.key;
        let text = (self.mark)(&exchange.body);
        let (body, text) = match raw(&text) {
            Some(body) => (Some(body), None),
            None => (None, Some(text).filter(|_| exchange.hash.is_none())),
        };
        let method = Some(exchange.method).filter(|method| *method != Method::Post);
        self.line(&RecordingLine::Request(RequestLine {
            turn: *turn,
            lane: self.lane(lane),
            exchange: Some(*number),
            at_us: exchange.sent,
            method: method.map(|method| method.as_str().to_owned()),
            path: (self.mark)(&exchange.path),
            body,
            text,
            hash: exchange.hash.clone(),
        }));
    }

    fn head(&self, at_us: u64, head: &ResponseHead) -> HeadLine {
        let headers = head.headers.iter();
        HeadLine {
            at_us,
            status: head.status,
            content_type: (self.mark)(&head.content_type),
            proxy: head.proxy.as_deref().map(self.mark),
            location: head.location.as_deref().map(self.mark),
            headers: headers
                .map(|(name, value)| ((self.mark)(name), (self.mark)(value)))
                .collect(),
        }
    }

    fn program(&mut self, run: &ProgramRun) {
        let ExchangeKey { turn, lane, number } = &run.key;
        let argv = run.argv.iter();
        self.line(&RecordingLine::Program(RunLine {
            turn: *turn,
            lane: self.lane(lane),
            exchange: *number,
            argv: argv.map(|argument| (self.mark)(argument)).collect(),
        }));
        for line in &run.lines {
            self.line(&self.program_line(line));
        }
        self.line(&RecordingLine::Exit(self.exit(run)));
    }

    fn program_line(&self, line: &ProgramLine) -> RecordingLine {
        match line {
            ProgramLine::Sent { turn, line, at } => RecordingLine::Sent(SentLine {
                turn: *turn,
                at_us: *at,
                line: WrittenLine::Text((self.mark)(line)),
            }),
            ProgramLine::Closed(at) => RecordingLine::Closed(ClosedLine { at_us: *at }),
            ProgramLine::Received(at, bytes) => RecordingLine::Output(OutputLine {
                at_us: *at,
                line: self.written(bytes),
            }),
        }
    }

    fn exit(&self, run: &ProgramRun) -> ExitLine {
        let mut exit = ExitLine {
            how: EndKind::Left,
            at_us: None,
            code: None,
            signal: None,
            failed: None,
            stderr: run.stderr.as_deref().map(self.mark),
            note: run.note.as_deref().map(self.mark),
            closed_us: run.closed,
        };
        match &run.end {
            ProgramRunEnd::Failed(message, help) => {
                exit.how = EndKind::Failed;
                exit.failed = Some(self.failure(message, help.as_deref(), None));
            }
            ProgramRunEnd::Complete(at, status) => {
                exit.how = EndKind::Complete;
                exit.at_us = Some(*at);
                match status {
                    Some(ExitStatus::Exit(code)) => exit.code = Some(*code),
                    Some(ExitStatus::Signal(signal)) => exit.signal = Some(*signal),
                    None => {}
                }
            }
            ProgramRunEnd::TooLarge(at) => {
                exit.how = EndKind::TooLarge;
                exit.at_us = Some(*at);
            }
            ProgramRunEnd::Left => {}
        }
        exit
    }

    fn written(&self, line: &[u8]) -> WrittenLine {
        // What is not UTF-8 can still hold a secret.
        let text = String::from_utf8_lossy(line);
        let marked = (self.mark)(&text);
        if std::str::from_utf8(line).is_err() && marked == text {
            WrittenLine::Base64(STANDARD.encode(line))
        } else {
            WrittenLine::Text(marked)
        }
    }

    fn piece(&mut self, at_us: u64, piece: &[u8]) {
        let Ok(text) = std::str::from_utf8(piece) else {
            // What is not UTF-8 can still hold a secret.
            let lossy = String::from_utf8_lossy(piece);
            let marked = (self.mark)(&lossy);
            self.line(&if marked == lossy {
                RecordingLine::Bytes(Encoded {
                    at_us,
                    base64: STANDARD.encode(piece),
                })
            } else {
                RecordingLine::Text(TextLine {
                    at_us,
                    text: marked,
                })
            });
            return;
        };
        let text = (self.mark)(text);
        let data = text
            .strip_prefix(EVENT.0)
            .and_then(|rest| rest.strip_suffix(EVENT.1))
            .and_then(raw);
        self.line(&match data {
            Some(data) => RecordingLine::Event(EventLine { at_us, data }),
            None => RecordingLine::Text(TextLine { at_us, text }),
        });
    }

    fn marked_map(&self, map: &Map<String, Value>) -> Map<String, Value> {
        map.iter()
            .map(|(key, value)| ((self.mark)(key), self.marked(value)))
            .collect()
    }

    fn marked(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String((self.mark)(text)),
            Value::Array(items) => items.iter().map(|item| self.marked(item)).collect(),
            Value::Object(map) => Value::Object(self.marked_map(map)),
            // A number may be a secret as well.
            Value::Number(number) => {
                let text = number.to_string();
                let marked = (self.mark)(&text);
                if marked == text {
                    value.clone()
                } else {
                    Value::String(marked)
                }
            }
            Value::Bool(_) | Value::Null => value.clone(),
        }
    }
}

/// `text` as JSON whose every character is kept, on one line; `None` also if it contains characters that
/// deceive a reader of the file: as part of a string they are escaped, and read back as they were.
fn raw(text: &str) -> Option<Box<RawValue>> {
    let raw: Box<RawValue> = serde_json::from_str(text).ok()?;
    let is_harmless =
        !text.contains(['\n', '\r']) && matches!(escape::json(text), Cow::Borrowed(_));
    (raw.get() == text && is_harmless).then_some(raw)
}
