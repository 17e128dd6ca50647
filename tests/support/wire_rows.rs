//! What can arrive from an agent, and the result of the exchange: one row for each rule.

use std::time::Duration;

use ananke::agents::{Ended, Limits};

use super::canned::limits;
use super::raw_agent::Step;

/// One way an agent can behave.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    /// What the agent does after it has read the request.
    pub(crate) steps: Vec<Step>,
    pub(crate) limits: Limits,
    /// How the exchange ends; an error as it is shown, with `AGENT` for the agent's address, and [`CAUSE`] for what a library
    /// reports.
    pub(crate) ends: Result<Ended, &'static str>,
}

impl Row {
    fn new(name: &'static str, steps: Vec<Step>, ends: Result<Ended, &'static str>) -> Self {
        Self {
            name,
            steps,
            limits: limits(),
            ends,
        }
    }

    fn within(mut self, change: impl FnOnce(&mut Limits)) -> Self {
        change(&mut self.limits);
        self
    }
}

/// What a library or the system reports, which is not asserted.
pub(crate) const CAUSE: &str = "[CAUSE]";

/// Whether a message is the expected one, whatever a library reports instead of [`CAUSE`].
pub(crate) fn is_message(message: &str, expected: &str) -> bool {
    let Some((before, after)) = expected.split_once(CAUSE) else {
        return message == expected;
    };
    let cause = message
        .strip_prefix(before)
        .and_then(|rest| rest.strip_suffix(after));
    cause.is_some_and(|cause| !cause.is_empty())
}

const STARTED: &str = "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t-1\",\"runId\":\"r-1\"}\n\n";
const FINISHED: &str =
    "data: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t-1\",\"runId\":\"r-1\"}\n\n";
const TERMINAL: Result<Ended, &str> = Ok(Ended::Terminal);

fn send(bytes: impl AsRef<[u8]>) -> Step {
    Step::Send(bytes.as_ref().to_vec())
}

/// A response of this status and type whose body ends with its connection.
fn answer(status: &str, headers: &str, body: &str) -> Vec<Step> {
    vec![send(format!(
        "HTTP/1.1 {status}\r\n{headers}connection: close\r\n\r\n{body}"
    ))]
}

fn page(content_type: &str, body: &str) -> Vec<Step> {
    answer("200 OK", &format!("content-type: {content_type}\r\n"), body)
}

fn events(body: &str) -> Vec<Step> {
    page("text/event-stream", body)
}

/// A response in HTTP chunks whose final chunk never comes.
fn cut(body: &str) -> Vec<Step> {
    let head =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    vec![send(format!("{head}{:x}\r\n{body}\r\n", body.len()))]
}

fn and(mut steps: Vec<Step>, more: impl IntoIterator<Item = Step>) -> Vec<Step> {
    steps.extend(more);
    steps
}

/// Every row.
pub(crate) fn rows() -> Vec<Row> {
    [
        whole(),
        endings(),
        other_bodies(),
        bad_events(),
        refusals(),
        broken(),
        limited(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Valid streams.
fn whole() -> Vec<Row> {
    let run = format!("{STARTED}{FINISHED}");
    vec![
        Row::new("a whole run", events(&run), TERMINAL),
        Row::new(
            "the body decides, not the content type",
            page("text/html", &run),
            TERMINAL,
        ),
        Row::new("no content type", answer("200 OK", "", &run), TERMINAL),
        Row::new("CRLF", events(&run.replace('\n', "\r\n")), TERMINAL),
        Row::new("CR", events(&run.replace('\n', "\r")), TERMINAL),
        Row::new(
            "a byte order mark",
            events(&format!("\u{feff}{run}")),
            TERMINAL,
        ),
        Row::new(
            "comments, empty data and [DONE] say nothing",
            events(&format!(
                ": ping\n\ndata:\n\n{STARTED}data: \n\n:\n\n{FINISHED}data: [DONE]\n\n"
            )),
            TERMINAL,
        ),
        Row::new(
            "an error of the agent is an end",
            events("data: {\"type\":\"RUN_ERROR\",\"message\":\"no\"}\n\n"),
            TERMINAL,
        ),
        Row::new(
            "an unknown type is none of ours",
            events(&format!(
                "{STARTED}data: {{\"type\":\"NEW\",\"role\":7,\"delta\":{{}},\"messageId\":[]}}\n\n{FINISHED}"
            )),
            TERMINAL,
        ),
        Row::new(
            "an unterminated last event counts if it is complete",
            events(run.trim_end()),
            TERMINAL,
        ),
    ]
}

/// What comes after the end of a run.
fn endings() -> Vec<Row> {
    let run = format!("{STARTED}{FINISHED}");
    let late = "data: {\"type\":\"CUSTOM\",\"name\":\"late\",\"value\":1}\n\n";
    vec![
        Row::new(
            "a stream that stays open after the run",
            and(events(&run), [Step::Hold]),
            TERMINAL,
        ),
        Row::new(
            "a half-closed connection",
            and(events(&run), [Step::HalfClose]),
            TERMINAL,
        ),
        Row::new(
            "events after the run",
            events(&format!("{run}{late}")),
            TERMINAL,
        ),
        Row::new("a second run", events(&format!("{run}{run}")), TERMINAL),
        Row::new(
            "a second run that does not end",
            events(&format!("{run}{STARTED}")),
            Err(
                "the stream ended without a terminal event (`RUN_FINISHED` or `RUN_ERROR`); received: HTTP 200, text/event-stream, 184 bytes, 3 events, starting `data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t-1\",\"runId\":\"r-1\"}\\n\\ndata: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t-1\",\"runId\":\"r-1\"}\\n\\ndata: {\"type\":\"RUN_STARTED\",\"threadId\":\"t-1\",\"runId\":\"r-1\"}\\n\\n`",
            ),
        ),
        Row::new(
            "a connection that breaks after the run",
            and(cut(&run), [Step::Reset]),
            TERMINAL,
        ),
        Row::new(
            "half an event after the run",
            events(&format!("{run}data: {{\"type\":")),
            TERMINAL,
        ),
    ]
}

/// Bodies that are not a stream of events, or one without an end.
fn other_bodies() -> Vec<Row> {
    vec![
        Row::new(
            "no terminal event",
            events(STARTED),
            Err(
                "the stream ended without a terminal event (`RUN_FINISHED` or `RUN_ERROR`); received: HTTP 200, text/event-stream, 61 bytes, 1 event, starting `data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t-1\",\"runId\":\"r-1\"}\\n\\n`",
            ),
        ),
        Row::new(
            "an end of nothing",
            events("data: {\"type\":\"RUN_FINISHED\"}\n\n"),
            Err(
                "event 1 of the response ends a run that never began (`{\"type\":\"RUN_FINISHED\"}`); received: HTTP 200, text/event-stream, 31 bytes, starting `data: {\"type\":\"RUN_FINISHED\"}\\n\\n`",
            ),
        ),
        Row::new(
            "an empty answer",
            events(""),
            Err("the response is empty; received: HTTP 200, text/event-stream, 0 bytes"),
        ),
        Row::new(
            "an empty answer of another status",
            answer("204 No Content", "", ""),
            Err("the response is empty; received: HTTP 204, no content type, 0 bytes"),
        ),
        Row::new(
            "nothing but a comment",
            events(": ping\n\n"),
            Err(
                "the response contains no event; received: HTTP 200, text/event-stream, 8 bytes, starting `: ping\\n\\n`",
            ),
        ),
        Row::new(
            "a web page",
            page("text/html", "<!doctype html>\n<title>Log in</title>"),
            Err(
                "the response is an HTML page, not an event stream; received: HTTP 200, text/html, 37 bytes, starting `<!doctype html>\\n<title>Log in</title>`",
            ),
        ),
        Row::new(
            "JSON line by line",
            page(
                "application/x-ndjson",
                "{\"type\":\"RUN_STARTED\"}\n{\"type\":\"RUN_FINISHED\"}\n",
            ),
            Err(
                "the response is JSON Lines, not server-sent events; received: HTTP 200, application/x-ndjson, 47 bytes, starting `{\"type\":\"RUN_STARTED\"}\\n{\"type\":\"RUN_FINISHED\"}\\n`",
            ),
        ),
        Row::new(
            "the binary form",
            page("application/vnd.ag-ui.event+proto", "\0\0\0\u{2}j\0"),
            Err(
                "the response is in the binary form of AG-UI, which is not supported; received: HTTP 200, application/vnd.ag-ui.event+proto, 6 bytes, starting `\\0\\0\\0\\u{2}j\\0`",
            ),
        ),
        Row::new(
            "a JSON document",
            page("application/json", "{\n  \"answer\": 42\n}"),
            Err(
                "the response is a JSON document, not an event stream; received: HTTP 200, application/json, 18 bytes, starting `{\\n  \"answer\": 42\\n}`",
            ),
        ),
        Row::new(
            "a JSON array of events",
            page("application/json", "[{\"type\":\"RUN_STARTED\"}]"),
            Err(
                "the response is a JSON document, not an event stream; received: HTTP 200, application/json, 24 bytes, starting `[{\"type\":\"RUN_STARTED\"}]`",
            ),
        ),
        Row::new(
            "control characters are not printed",
            page("text/plain", "\u{1b}[31mred\u{202e}"),
            Err(
                "the response contains no event; received: HTTP 200, text/plain, 11 bytes, starting `\\u{1b}[31mred\\u{202e}`",
            ),
        ),
    ]
}

/// Data that is not an event.
fn bad_events() -> Vec<Row> {
    vec![
        Row::new(
            "an event that is no object",
            events("data: [1]\n\n"),
            Err(
                "event 1 of the response is not a JSON object (`[1]`); received: HTTP 200, text/event-stream, 11 bytes, starting `data: [1]\\n\\n`",
            ),
        ),
        Row::new(
            "an event without a type",
            events("data: {\"ok\":true}\n\n"),
            Err(
                "event 1 of the response has no `type` (`{\"ok\":true}`); received: HTTP 200, text/event-stream, 19 bytes, starting `data: {\"ok\":true}\\n\\n`",
            ),
        ),
        Row::new(
            "an event whose type is no string",
            events("data: {\"type\":7}\n\n"),
            Err(
                "event 1 of the response has a `type` that is not a string (`{\"type\":7}`); received: HTTP 200, text/event-stream, 18 bytes, starting `data: {\"type\":7}\\n\\n`",
            ),
        ),
        Row::new(
            "malformed JSON",
            events("data: {'type': 'X'}\n\n"),
            Err(
                "event 1 of the response is not valid JSON ([CAUSE]) (`{'type': 'X'}`); received: HTTP 200, text/event-stream, 21 bytes, starting `data: {'type': 'X'}\\n\\n`",
            ),
        ),
        Row::new(
            "a field that is missing",
            events("data: {\"type\":\"TOOL_CALL_START\",\"toolCallId\":\"c\"}\n\n"),
            Err(
                "event 1 of the response has no `toolCallName`, which a `TOOL_CALL_START` needs (`{\"type\":\"TOOL_CALL_START\",\"toolCallId\":\"c\"}`); received: HTTP 200, text/event-stream, 51 bytes, starting `data: {\"type\":\"TOOL_CALL_START\",\"toolCallId\":\"c\"}\\n\\n`",
            ),
        ),
        Row::new(
            "an unterminated last event that is not complete",
            events("data: {\"type\":\"RUN_STARTED\",\n"),
            Err(
                "the stream ended inside an event; received: HTTP 200, text/event-stream, 29 bytes, starting `data: {\"type\":\"RUN_STARTED\",\\n`",
            ),
        ),
    ]
}

/// Responses that are not from an agent.
fn refusals() -> Vec<Row> {
    vec![
        Row::new(
            "a refusal says why",
            answer(
                "422 Unprocessable Entity",
                "content-type: application/json\r\n",
                "[{\"loc\":[\"threadId\"]}]",
            ),
            Err(
                "the agent responded with HTTP 422; received: application/json, 22 bytes, starting `[{\"loc\":[\"threadId\"]}]`",
            ),
        ),
        Row::new(
            "a refusal that is a stream of events",
            answer(
                "500 Internal Server Error",
                "content-type: text/event-stream\r\n",
                STARTED,
            ),
            Err(
                "the agent responded with HTTP 500; received: text/event-stream, 61 bytes, starting `data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t-1\",\"runId\":\"r-1\"}\\n\\n`",
            ),
        ),
        Row::new(
            "a redirect",
            answer("301 Moved Permanently", "location: /agent/?key=x\r\n", ""),
            Err(
                "the agent redirects to http://AGENT/agent/; received: HTTP 301, no content type, 0 bytes",
            ),
        ),
        Row::new(
            "a redirect to somewhere else",
            answer(
                "307 Temporary Redirect",
                "location: https://user:secret@example.org/x\r\n",
                "",
            ),
            Err(
                "the agent redirects to https://example.org/x; received: HTTP 307, no content type, 0 bytes",
            ),
        ),
        Row::new(
            "a redirect to nowhere",
            answer("302 Found", "", "gone"),
            Err(
                "the agent responded with HTTP 302; received: no content type, 4 bytes, starting `gone`",
            ),
        ),
    ]
}

/// Connections that break.
fn broken() -> Vec<Row> {
    vec![
        Row::new(
            "closed before the head",
            vec![],
            Err("the connection to http://AGENT/agent ended before an answer came: [CAUSE]"),
        ),
        Row::new(
            "closed in the head",
            vec![send("HTTP/1.1 200 OK\r\ncontent-ty")],
            Err("the connection to http://AGENT/agent ended before an answer came: [CAUSE]"),
        ),
        Row::new(
            "not HTTP",
            vec![send("SSH-2.0-OpenSSH_9.7\r\n")],
            Err("the connection to http://AGENT/agent ended before an answer came: [CAUSE]"),
        ),
        Row::new(
            "cut between events",
            cut(STARTED),
            Err(
                "the connection broke before the run ended: [CAUSE]; received: HTTP 200, text/event-stream, 61 bytes, 1 event, starting `data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t-1\",\"runId\":\"r-1\"}\\n\\n`",
            ),
        ),
        Row::new(
            "cut inside an event",
            cut("data: {\"type\":\"RUN"),
            Err(
                "the connection broke inside an event: [CAUSE]; received: HTTP 200, text/event-stream, 18 bytes, starting `data: {\"type\":\"RUN`",
            ),
        ),
        Row::new(
            "shorter than promised",
            answer(
                "200 OK",
                "content-type: text/event-stream\r\ncontent-length: 100\r\n",
                STARTED,
            ),
            Err(
                "the connection broke before the run ended: [CAUSE]; received: HTTP 200, text/event-stream, 61 bytes, 1 event, starting `data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t-1\",\"runId\":\"r-1\"}\\n\\n`",
            ),
        ),
    ]
}

/// Streams that are too large or too slow.
fn limited() -> Vec<Row> {
    let short = |limits: &mut Limits| limits.timeout = Duration::from_millis(300);
    let large = format!("data: {{\"type\":\"X\",\"x\":\"{}\"}}\n\n", "x".repeat(40));
    vec![
        Row::new(
            "an event that is too large",
            events(&large),
            Err("an event is larger than 50 bytes (`max_event_bytes`); received: HTTP 200, text/event-stream, 67 bytes, starting `data: {\"type\":\"X\",\"x\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}\\n\\n`"),
        )
        .within(|limits| limits.max_event_bytes = 50),
        Row::new(
            "an answer that is too large",
            events(&large),
            Err("the response is larger than 50 bytes (`max_response_bytes`); received: HTTP 200, text/event-stream, 67 bytes, starting `data: {\"type\":\"X\",\"x\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}\\n\\n`"),
        )
        .within(|limits| limits.max_response_bytes = 50),
        Row::new("no head in time", vec![Step::Hold], Ok(Ended::Timeout)).within(short),
        Row::new("no end in time", and(events(STARTED), [Step::Hold]), Ok(Ended::Timeout)).within(short),
        Row::new("comments do not keep a run alive", and(events(&format!("{STARTED}: ping\n\n")), [Step::Hold]), Ok(Ended::Timeout))
            .within(short),
        Row::new("cancelled", and(events(STARTED), [Step::Hold]), Ok(Ended::Cancelled))
            .within(|limits| limits.cancel.cancel()),
    ]
}
