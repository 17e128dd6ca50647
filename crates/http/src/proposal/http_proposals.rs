//! Proposes a target for an agent behind an HTTP API of its own: makes the request, sends it, and describes its response.
//!
//! **Invariant:** each request is shown before it is sent, without secret values; a greeting is sent once, and a second turn only if
//! the user wants one.

use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use url::Url;

use super::super::seen_keys::SeenKeys;
use super::super::turn_requests::session_help;
use super::commented_keys::CommentedKeys;
use super::curl;
use super::missing_fields::{FIRST_GUESS, add_missing};
use super::openapi::{self, Described};
use super::proposed_request::{ProposedContent, ProposedRequest, SentVariables};
use super::proposed_response::ProposedResponse;
use super::read_back::read_back;
use super::seen_response::SeenResponse;
use ananke_agents::http::{self, HttpRequest, Method, Next, ReceivedResponse, shown};
use ananke_agents::{
    ProposalOptions, ProposalPlace, ProposedTurn, ProposingProtocol, Sink, Stop, TargetError,
    TargetProposal, Wire,
};
use ananke_base::context::At;
use ananke_base::source::received_json::read_as;
use ananke_trace::trace::Change;

/// The name of such an API in words.
const SPEAKS: &str = "an HTTP API of its own";

/// The status of a request that lacks fields.
const UNPROCESSABLE: u16 = 422;

/// The most requests that are refused for want of fields: a server may check its fields level by level.
const MOST_REFUSALS: usize = 3;

/// The largest response that is kept, in bytes.
const MOST_BYTES: usize = 8 << 20;

/// Proposals of targets with `type: http`.
pub(in super::super) struct HttpProposals;

impl ProposingProtocol for HttpProposals {
    fn reads_command(&self, words: &[String]) -> bool {
        curl::is_curl(words)
    }

    fn propose<'a>(
        &'a self,
        place: ProposalPlace<'a>,
        options: &'a ProposalOptions<'a>,
    ) -> BoxFuture<'a, Result<TargetProposal, TargetError>> {
        Box::pin(async move { Proposing { options }.propose(place).await })
    }
}

/// A proposal that is made.
struct Proposing<'a> {
    options: &'a ProposalOptions<'a>,
}

/// A response that was read to its end, or as far as it came in time.
struct WholeResponse {
    received: ReceivedResponse,
    body: Vec<u8>,
}

impl Proposing<'_> {
    async fn propose(&self, place: ProposalPlace<'_>) -> Result<TargetProposal, TargetError> {
        let mut request = match place {
            ProposalPlace::Url(url) => self.request_at(url).await?,
            ProposalPlace::Command(words) => {
                let (request, omitted) = curl::request_of(words)?;
                let console = self.options.console;
                if !omitted.is_empty() {
                    let omitted = omitted.join(", ");
                    console.say(&format!("Omitted: {omitted}"));
                }
                console.say("This is sent:");
                request
            }
        };
        for header in &self.options.headers {
            // A header that the user gives replaces the one of the command line.
            request.headers.retain(|(name, _)| *name != header.name);
            request
                .secrets
                .retain(|secret| secret.variable != header.variable);
            let value = format!("${{ENV.{}}}", header.variable);
            request.headers.push((header.name.clone(), value));
            request.secrets.push(header.clone());
        }
        // From here on the server may repeat what it gets, so that all that is shown is masked.
        for secret in &request.secrets {
            self.options.console.hide(&secret.value);
        }

        let mut variables = SentVariables::new();
        let thread = self.options.ids.next("thread");
        variables.insert("THREAD_ID".to_owned(), json!(thread));
        // A text that the user wrote is sent as it is, since it may lead to calls, which a greeting seldom does.
        let greeting = request.greeting.clone();
        let first = self.turn(&mut request, &greeting, &mut variables).await?;
        let mut responses = vec![first];
        let (mut response, mut turns) = described(&responses)?;
        if let Ok((_, events)) = responses[0].events() {
            request.capture_id(&events, &mut variables);
        }
        // The second turn has what an API needs to continue: the messages so far, and the ids that the agent gave.
        if let Some(second) = self.options.second {
            let said = turns[0].texts.join("\n");
            let history = json!([
                { "role": "user", "content": greeting },
                { "role": "assistant", "content": said },
            ]);
            variables.insert("HISTORY".to_owned(), history);
            responses.push(self.turn(&mut request, second, &mut variables).await?);
            (response, turns) = described(&responses)?;
        }

        let mut keys = CommentedKeys::new(2);
        keys.add("type", json!("http"));
        request.write(&mut keys);
        keys.nested("response", |keys| response.write(keys));
        Ok(TargetProposal {
            speaks: SPEAKS,
            url: request.url.clone(),
            target: keys.into_text(),
            turns,
            redacted: request.redacted(),
            secrets: request.secrets,
        })
    }

    /// The request for a URL of which nothing else is known. What the user says of it comes first, because descriptions are often old.
    async fn request_at(&self, url: &Url) -> Result<ProposedRequest, TargetError> {
        if let Some(written) = self.options.body {
            let body: Value = match serde_json::from_str(written) {
                Ok(body) => body,
                Err(error) => {
                    let message = format!("`--body` is not JSON: {error}");
                    return Err(TargetError::new(message)
                        .with_help("the shell removes quotes: put the body into single quotes"));
                }
            };
            let mut request = ProposedRequest::post(url, ProposedContent::None);
            let body = request.written_value("", body);
            request.content = ProposedContent::Json(with_variables(&body));
            if request.has_input() {
                return Ok(request);
            }
            return Err(
                TargetError::new("`--body` does not say what the user says").with_help(
                    "write `${INPUT}` in its place: `--body '{\"message\": \"${INPUT}\"}'`",
                ),
            );
        }
        match self.description(url).await? {
            Some(Described::Request(request)) if request.has_input() => return Ok(*request),
            Some(Described::OtherPaths(paths)) if !paths.is_empty() => {
                let message = format!("its `openapi.json` has no POST {}", shown_path(url));
                let help = format!("name the URL of one of these paths: {}", paths.join(", "));
                return Err(TargetError::new(message).with_help(help));
            }
            _ if self.options.is_refused => {
                return Err(TargetError::new("a POST to it was refused already"));
            }
            _ => {}
        }
        let body = ProposedContent::Json(json!({ "message": "${INPUT}" }));
        let mut request = ProposedRequest::post(url, body);
        request.notes.push(FIRST_GUESS.to_owned());
        Ok(request)
    }

    /// What the `openapi.json` of the server says of a URL; `None` if it has none.
    async fn description(&self, url: &Url) -> Result<Option<Described>, TargetError> {
        let mut place = url.clone();
        place.set_path("/openapi.json");
        place.set_query(None);
        let mut request = ProposedRequest::post(&place, ProposedContent::None);
        request.method = Method::Get;
        for header in &self.options.headers {
            request
                .headers
                .push((header.name.clone(), header.value.clone()));
        }
        self.options
            .console
            .say(&format!("  {SPEAKS}: GET {}", shown(&place)));
        // A server without such a description may answer with anything.
        let Ok(read) = self.send(request.filled(&SentVariables::new())).await else {
            return Ok(None);
        };
        if !(200..300).contains(&read.received.head.status) {
            return Ok(None);
        }
        match read_as::<Value>(&read.body) {
            Ok(document) => openapi::request_of(&document, url),
            Err(_) => Ok(None),
        }
    }

    /// Sends what the user says. A refusal that names missing fields leads to another request.
    async fn turn(
        &self,
        request: &mut ProposedRequest,
        input: &str,
        variables: &mut SentVariables,
    ) -> Result<SeenResponse, TargetError> {
        // The messages are those of the default form, because a proposal has no `message` of its own.
        let history = variables.entry("HISTORY".to_owned()).or_insert(json!([]));
        let mut messages = history.as_array().cloned().unwrap_or_default();
        messages.push(json!({ "role": "user", "content": input }));
        variables.insert("MESSAGES".to_owned(), Value::Array(messages));
        variables.insert("INPUT".to_owned(), json!(input));
        for _ in 0..=MOST_REFUSALS {
            self.options
                .console
                .say(&format!("  {SPEAKS}: {}", request.words(input)));
            let read = self.send(request.filled(variables)).await?;
            let status = read.received.head.status;
            if (200..300).contains(&status) {
                return Ok(SeenResponse {
                    input: input.to_owned(),
                    body: read.body,
                });
            }
            let has_changed = match read_as::<Value>(&read.body) {
                Ok(refusal) if status == UNPROCESSABLE => add_missing(request, &refusal)?,
                _ => false,
            };
            if !has_changed {
                let refusal = http::refused(&read.received);
                let help = session_help(&refusal).unwrap_or(
                    "is it the URL that a message is sent to, and this the body? write another body with `--body '{\"message\": \"${INPUT}\"}'`",
                );
                return Err(refusal.with_help(help));
            }
            if !request.has_input() {
                let message =
                    "the server wants a body in which nothing is known to be what the user says";
                return Err(TargetError::new(message)
                    .with_help("write the body: `--body '{\"message\": \"${INPUT}\"}'`"));
            }
            self.options
                .console
                .say("      no: fields are missing; the request is sent again with them");
        }
        Err(TargetError::new("the agent misses other fields each time")
            .with_help("write the body: `--body '{\"message\": \"${INPUT}\"}'`"))
    }

    /// Sends a request, and reads its response as far as it comes in time.
    async fn send(&self, request: HttpRequest) -> Result<WholeResponse, TargetError> {
        let limits = &self.options.limits;
        let mut closed = None;
        let mut unseen = UnrecordedSink;
        let sent = http::send(
            self.options.transport,
            request,
            limits,
            &mut unseen,
            &mut closed,
        );
        let sent = limits.cancel.run_until_cancelled(sent).await;
        // A cancellation is an answer that does not come, because the caller knows of it.
        let Some(response) = sent.unwrap_or(Ok(None))? else {
            return Err(TargetError::new("no answer in time"));
        };
        let until = response.until;
        let mut received = response.received;
        let mut body = response.body;
        let mut bytes = Vec::new();
        loop {
            let next = limits.cancel.run_until_cancelled(body.next(until)).await;
            match next {
                Some(Next::Bytes(_, more)) => {
                    received.add(&more);
                    bytes.extend_from_slice(&more);
                    if bytes.len() > MOST_BYTES {
                        return Err(received.error("the response is too large for a greeting"));
                    }
                }
                Some(Next::Broken(_, cause)) => {
                    let message = format!("the connection broke inside the response: {cause}");
                    return Err(received.broken_off(message));
                }
                Some(Next::End) => break,
                // A stream may stay open after its end.
                None | Some(Next::Late | Next::After(..)) => {
                    let console = self.options.console;
                    console.say("      the response does not end: what came so far is read");
                    break;
                }
            }
        }
        Ok(WholeResponse {
            received,
            body: bytes,
        })
    }
}

/// The mapping for responses, and the turns that it makes of them. What the reader does not accept is omitted.
fn described(
    responses: &[SeenResponse],
) -> Result<(ProposedResponse, Vec<ProposedTurn>), TargetError> {
    let whole = match ProposedResponse::of(responses) {
        Ok(whole) => whole,
        Err(why) => return Err(unreadable(&why, responses)),
    };
    // The end of a stream and the calls are the guesses that go wrong first, so that the text is kept without them.
    let mut candidates = vec![whole.clone(), whole.clone().without_end()];
    if whole.has_calls() {
        candidates.push(whole.without_end().without_calls());
    }
    let mut why = "no path can be read".to_owned();
    for candidate in candidates {
        let Some(mapping) = candidate.mapping() else {
            continue;
        };
        match read_back(&mapping, responses) {
            Ok(turns) if turns.iter().all(|turn| !turn.texts.is_empty()) => {
                return Ok((candidate, turns));
            }
            Ok(_) => "a turn has no text".clone_into(&mut why),
            Err(error) => why = error,
        }
    }
    Err(unreadable(&why, responses))
}

/// The error of responses in which nothing can be read, with their keys.
fn unreadable(why: &str, responses: &[SeenResponse]) -> TargetError {
    let mut keys = SeenKeys::default();
    for response in responses {
        if let Ok((_, events)) = response.events() {
            for event in &events {
                keys.add(event);
            }
        }
    }
    TargetError::new(format!("{why}. {}", keys.words("")))
        .with_help("describe the request and the response in a target with `type: http`")
}

/// The body with the variables that `written_value` took for literals.
fn with_variables(body: &Value) -> Value {
    let mut text = body.to_string();
    for name in ["INPUT", "MESSAGES", "HISTORY", "THREAD_ID", "TURN"] {
        text = text.replace(&format!("$${{{name}}}"), &format!("${{{name}}}"));
    }
    serde_json::from_str(&text).unwrap_or_default()
}

fn shown_path(url: &Url) -> String {
    ananke_base::text::escape::line(url.path()).into_owned()
}

/// Keeps nothing of an exchange.
struct UnrecordedSink;

impl Sink for UnrecordedSink {
    fn wire(&mut self, _: At, _: Wire<'_>) {}

    fn change(&mut self, _: At, _: Change<'_>) -> std::ops::ControlFlow<Stop> {
        std::ops::ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The body of a captured response.
    fn captured(file: &str, name: &str) -> SeenResponse {
        let folder =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/captures/http");
        let text = std::fs::read_to_string(folder.join(format!("{file}.txt"))).unwrap();
        let text = format!("\n{text}");
        let (_, section) = text.split_once(&format!("\n## {name}\n")).unwrap();
        let section = section.split("\n## ").next().unwrap();
        let (_, body) = section.split_once("\r\n\r\n").unwrap();
        SeenResponse {
            input: "weather".to_owned(),
            body: body.as_bytes().to_vec(),
        }
    }

    /// What a proposal for one response reads, and its keys.
    fn proposed(response: SeenResponse) -> (ProposedTurn, String) {
        let (response, mut turns) = described(&[response]).unwrap();
        let mut keys = CommentedKeys::new(0);
        response.write(&mut keys);
        (turns.remove(0), keys.into_text())
    }

    #[test]
    fn captured_responses_are_described() {
        let paris = json!({ "city": "Paris" });
        let nothing = json!({});
        let called = Some(&paris);
        let named = Some(&nothing);
        for (file, name, text, call) in [
            ("adk", "run", "Let me look.\nIt is sunny.", called),
            ("adk", "run_sse", "Let me look.\nIt is sunny.", called),
            ("agentcore", "plain", "It is sunny.", None),
            ("agentcore", "stream", "It is sunny.", named),
            ("agno", "stream=false", "It is sunny.", called),
            ("agno", "stream=true", "It is sunny.", called),
            ("ai4", "weather", "It is sunny.", called),
            ("genkit", "weather", "It is sunny.", None),
            ("genkit", "stream weather", "It is sunny.", None),
            ("hayhooks", "run weather", "It is sunny.", None),
            (
                "langgraph",
                "stream [\"messages-tuple\"]",
                "It is sunny.",
                called,
            ),
            ("langgraph", "stream [\"updates\"]", "It is sunny.", called),
            ("langgraph", "wait", "It is sunny.", called),
            ("langserve", "invoke weather", "It is sunny.", called),
            ("langserve", "stream weather", "It is sunny.", None),
            ("pydantic-ai", "ndjson", "It is sunny.", None),
            ("pydantic-ai", "messages", "It is sunny.", called),
            ("workflows", "run weather", "It is sunny.", None),
            ("workflows", "events sse", "It is sunny.", called),
        ] {
            let (turn, keys) = proposed(captured(file, name));
            assert_eq!(turn.texts.join("\n"), text, "{file} {name}:\n{keys}");
            let calls: Vec<_> = turn
                .calls
                .iter()
                .map(|(name, args)| (name.as_str(), args))
                .collect();
            let expected: Vec<_> = call.into_iter().map(|args| ("get_weather", args)).collect();
            assert_eq!(calls, expected, "{file} {name}:\n{keys}");
            assert_eq!(turn.unread, 0, "{file} {name}:\n{keys}");
        }
    }

    fn seen(body: &str) -> SeenResponse {
        SeenResponse {
            input: "Hello".to_owned(),
            body: body.as_bytes().to_vec(),
        }
    }

    #[test]
    fn responses_of_hand_written_apis_are_described() {
        for (body, text, paths) in [
            (
                r#"{"message":"Hello","status":"success","response":"Good day","error":null}"#,
                "Good day",
                &["text: response", "error: error"][..],
            ),
            (
                "data: {\"type\":\"status\",\"message\":\"Thinking\"}\n\ndata: {\"type\":\"token\",\"content\":\"Good \"}\n\ndata: {\"type\":\"token\",\"content\":\"day\"}\n\ndata: {\"type\":\"done\",\"answer\":\"Good day\"}\n\n",
                "Good day",
                &["[?type=token].content", "done: \"[?type=done]\""],
            ),
            (
                "event: delta\ndata: Good\n\nevent: delta\ndata:  day\n\nevent: end\n\n",
                "Good day",
                &["text: \"[?@event=delta]\"", "done: \"[?@event=end]\""],
            ),
            (
                "data: Good\n\ndata:  day\n\ndata: [DONE]\n\n",
                "Good day",
                &["text: \"$\""],
            ),
            // One piece of text may be followed by others in the next response, so that it ends nothing.
            (
                "{\"type\":\"start\"}\n{\"type\":\"token\",\"text\":\"Hi\"}\n",
                "Hi",
                &["stream: ndjson", "[?type=token].text"],
            ),
            ("12 is my answer.", "12 is my answer.", &["stream: text"]),
            ("\"Good day\"", "Good day", &["text: \"$\""]),
            (
                r#"[{"recipient_id":"u","text":"Good day"}]"#,
                "Good day",
                &["[*].text"],
            ),
            (
                r#"{"choices":[{"message":{"role":"assistant","content":"Good day"}}]}"#,
                "Good day",
                &["choices[*].message.content"],
            ),
        ] {
            let (turn, keys) = proposed(seen(body));
            assert_eq!(turn.texts.join("\n"), text, "{body}:\n{keys}");
            for path in paths {
                assert!(keys.contains(path), "{path}: {keys}");
            }
            assert!(!keys.contains("done: \"[?type=token]\""), "{keys}");
        }
    }

    #[test]
    fn calls_with_and_without_ids_are_described() {
        for body in [
            r#"{"reply":"ok then","tool_calls":[{"tool":"pay","input":{"sum":1},"output":"done"}]}"#,
            r#"{"output":"ok then","intermediateSteps":[{"action":{"tool":"pay","toolInput":{"sum":1},"toolCallId":"c"},"observation":"done"}]}"#,
            r#"{"choices":[{"message":{"content":"ok then","tool_calls":[{"id":"c","type":"function","function":{"name":"pay","arguments":"{\"sum\":1}"}}]}}],"tool_outputs":[{"tool_call_id":"c","content":"done"}]}"#,
            "data: {\"type\":\"tool_start\",\"name\":\"pay\",\"input\":{\"sum\":1}}\n\ndata: {\"type\":\"tool_end\",\"name\":\"pay\",\"output\":\"done\"}\n\ndata: {\"type\":\"text\",\"text\":\"ok then\"}\n\n",
        ] {
            let (turn, keys) = proposed(seen(body));
            let sum = turn
                .calls
                .first()
                .map(|(name, args)| (name.as_str(), args["sum"].clone()));
            assert_eq!(sum, Some(("pay", json!(1))), "{body}:\n{keys}");
            assert_eq!(turn.texts, ["ok then"], "{body}:\n{keys}");
            assert_eq!(turn.unread, 0, "{body}:\n{keys}");
            assert!(keys.contains("result: "), "{keys}");
        }
    }

    #[test]
    fn what_cannot_be_read_names_its_keys() {
        let deep = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
        let wide = format!("{{\"a\":[{}1]}}", "{\"x\":\"y\"},".repeat(20_000));
        for (body, expected) in [
            (
                r#"{"status":"queued","job":{"id":7}}"#,
                "It has: status, job.id",
            ),
            (r#"{"message":"Hello"}"#, "It has: message"),
            (
                r#"{"error":"overloaded","message":"Sorry"}"#,
                "the agent reported an error: overloaded",
            ),
            ("<html><p>Hi</p>", "a web page"),
            (" \n", "empty"),
            ("{\"a\": ", "begins like JSON"),
            (&deep, "begins like JSON"),
            (&wide, "nothing in the response"),
            (
                "data: {\"a\":1}\n\ndata: {\"b]=\\u202e\":2}\n\n",
                "nothing in the response",
            ),
        ] {
            let error = described(&[seen(body)]).unwrap_err();
            assert!(error.message.contains(expected), "{expected}: {error}");
            assert!(!error.message.contains('\u{202e}'), "{error}");
        }
    }

    #[test]
    fn names_of_the_agent_cannot_leave_their_place() {
        // Keys and kinds that a path or a comment could not have are passed over.
        let body = r#"{"a]\n- b":{"text":"hidden"},"items":[{"type":"x]\nevil: 1","text":"one"},{"type":"y","text":"two"}]}"#;
        let (turn, keys) = proposed(seen(body));
        assert!(!turn.texts.is_empty());
        assert!(!keys.contains("evil") && !keys.contains("- b"), "{keys}");
    }

    #[test]
    fn an_id_that_the_agent_chose_is_sent_in_the_next_request() {
        let body = ProposedContent::Json(json!({ "message": "${INPUT}" }));
        let mut request = ProposedRequest::post(&"http://h/".parse().unwrap(), body);
        let mut variables = SentVariables::from_iter([("THREAD_ID".to_owned(), json!("mine"))]);
        for (answer, expected) in [
            (r#"{"session_id":"mine","reply":"x"}"#, None),
            (r#"{"run_id":"r","model_id":"m","reply":"x"}"#, None),
            (
                r#"{"meta":{"thread_id":"t-1"},"reply":"x"}"#,
                Some("meta.thread_id"),
            ),
        ] {
            let (_, events) = seen(answer).events().unwrap();
            request.capture_id(&events, &mut variables);
            let path = request.captures.first().map(|(_, path)| path.as_str());
            assert_eq!(path, expected, "{answer}");
        }
        // The name of the id that ananke makes is taken.
        assert_eq!(request.captures[0].0, "AGENT_THREAD_ID");
        let mut keys = CommentedKeys::new(0);
        request.write(&mut keys);
        assert!(
            keys.into_text()
                .contains("thread_id: \"${AGENT_THREAD_ID}\"")
        );
    }
}
