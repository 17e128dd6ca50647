//! One server that several tests have, one after the other: each of them begins as with a server of its own.
//!
//! A server is initialized once and remembers the ids of requests. So the answers of the handshake are kept and given to each
//! test, and requests and tokens of progress get numbers that the server has not seen.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::rpc_response::own_id;
use ananke_agents::pipe::{LineArrival, LineDelivery, SharedConversations};
use ananke_base::source::received_json::read_bytes;

/// The requests by which a client finds out how the server is spoken to.
const HANDSHAKE: [&str; 2] = ["server/discover", "initialize"];

/// The notification that ends the handshake with an older server.
const INITIALIZED: &str = "notifications/initialized";

/// A server, and the conversation that goes on.
#[derive(Default)]
pub(super) struct SharedServer {
    /// The number of the last request that the server got.
    last_id: u64,
    /// The first request of this conversation: what is about those before it belongs to another test.
    first_id: u64,
    /// The requests of this conversation, by the numbers that the server knows.
    requests: HashMap<u64, ForwardedRequest>,
    /// The answers of the handshake, by method.
    answers: HashMap<&'static str, Map<String, Value>>,
    is_initialized: bool,
    /// Whether the server got something else than a handshake.
    is_ready: bool,
}

/// A request that the server got.
struct ForwardedRequest {
    /// The id that the client gave it.
    id: u64,
    /// The method, if it is one of the handshake.
    handshake: Option<&'static str>,
    is_answered: bool,
}

impl SharedConversations for SharedServer {
    fn begin(&mut self) {
        self.first_id = self.last_id + 1;
        self.requests.clear();
    }

    fn send(&mut self, line: &[u8]) -> LineDelivery {
        let Ok(Value::Object(mut message)) = serde_json::from_slice(line) else {
            return LineDelivery::Passed(line.to_vec());
        };
        let method = message.get("method").and_then(Value::as_str);
        let handshake = HANDSHAKE.into_iter().find(|known| method == Some(known));
        let is_initialized = method == Some(INITIALIZED);
        let id = message.get("id").and_then(Value::as_u64);
        match (method, id) {
            (Some(_), Some(id)) => {
                if let Some(answer) = self.known_answer(handshake, id) {
                    return LineDelivery::Answered(Value::from(answer).to_string().into_bytes());
                }
                self.forward(&mut message, id, handshake);
            }
            (Some(_), None) if is_initialized && self.is_initialized => {
                return LineDelivery::Dropped;
            }
            (Some(_), None) => self.name_request(&mut message, "requestId"),
            // A response has the id that the server gave.
            (None, _) => {}
        }
        self.is_initialized |= is_initialized;
        self.is_ready |= handshake.is_none();
        LineDelivery::Passed(Value::from(message).to_string().into_bytes())
    }

    fn receive(&mut self, line: Vec<u8>, arrival: LineArrival) -> Option<Vec<u8>> {
        let of_conversation = |line| (arrival == LineArrival::During).then_some(line);
        let Ok(Value::Object(mut message)) = read_bytes(&line).map(|read| read.value) else {
            return of_conversation(line);
        };
        if message.contains_key("method") {
            // A server waits for the response to a request, whichever test it meant.
            if message.contains_key("id") {
                return Some(line);
            }
            return match self.progress_of(&message) {
                Some(Ok(id)) => {
                    message["params"]["progressToken"] = id.into();
                    Some(Value::from(message).to_string().into_bytes())
                }
                Some(Err(EarlierRequest)) => None,
                None => of_conversation(line),
            };
        }
        let Some((number, _)) = message.get("id").and_then(own_id) else {
            return of_conversation(line);
        };
        let Some(request) = self.requests.get_mut(&number) else {
            let is_earlier = (1..self.first_id).contains(&number);
            return if is_earlier { None } else { Some(line) };
        };
        request.is_answered = true;
        if let Some(method) = request.handshake {
            self.answers
                .entry(method)
                .or_insert_with(|| message.clone());
        }
        if request.id == number {
            return Some(line);
        }
        message.insert("id".to_owned(), request.id.into());
        Some(Value::from(message).to_string().into_bytes())
    }

    /// A request of the handshake may never be answered: servers ignore those that they do not know.
    fn is_free(&self) -> bool {
        let is_pending =
            |request: &ForwardedRequest| !request.is_answered && request.handshake.is_none();
        self.is_ready && !self.requests.values().any(is_pending)
    }
}

/// A request of a conversation before this one.
struct EarlierRequest;

impl SharedServer {
    /// The answer to a request of the handshake with the id `id`, if the server has given it, or never will: one that is initialized
    /// and has not answered `server/discover` is older than that, and may end when it is asked again.
    fn known_answer(&self, handshake: Option<&'static str>, id: u64) -> Option<Map<String, Value>> {
        let method = handshake?;
        let mut answer = match self.answers.get(method) {
            Some(answer) => answer.clone(),
            None if self.is_initialized && method == HANDSHAKE[0] => Map::from_iter([
                ("jsonrpc".to_owned(), "2.0".into()),
                (
                    "error".to_owned(),
                    json!({ "code": -32601, "message": "the server did not answer this" }),
                ),
            ]),
            None => return None,
        };
        answer.insert("id".to_owned(), id.into());
        Some(answer)
    }

    /// Gives a request a number that the server has not seen.
    fn forward(
        &mut self,
        message: &mut Map<String, Value>,
        id: u64,
        handshake: Option<&'static str>,
    ) {
        self.last_id += 1;
        let number = self.last_id;
        message.insert("id".to_owned(), number.into());
        let token = message
            .get_mut("params")
            .and_then(|params| params.get_mut("_meta")?.get_mut("progressToken"));
        if let Some(token) = token {
            *token = number.into();
        }
        let request = ForwardedRequest {
            id,
            handshake,
            is_answered: false,
        };
        self.requests.insert(number, request);
    }

    /// Replaces the id of a request that a notification names by its number.
    fn name_request(&self, message: &mut Map<String, Value>, key: &str) {
        let named = message
            .get_mut("params")
            .and_then(|params| params.get_mut(key));
        let Some(named) = named else { return };
        let is_named = |request: &ForwardedRequest| Some(request.id) == named.as_u64();
        let number = self.requests.iter().find(|(_, request)| is_named(request));
        if let Some((number, _)) = number {
            *named = (*number).into();
        }
    }

    /// The request whose progress a notification reports, by the id that the client gave it; `None` if it reports none.
    fn progress_of(&self, message: &Map<String, Value>) -> Option<Result<u64, EarlierRequest>> {
        let (number, _) = own_id(message.get("params")?.get("progressToken")?)?;
        match self.requests.get(&number) {
            Some(request) => Some(Ok(request.id)),
            None if number < self.first_id => Some(Err(EarlierRequest)),
            None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line that the server gets, or `answered` and the line that the client gets instead.
    fn sent(server: &mut SharedServer, message: &Value) -> String {
        match server.send(message.to_string().as_bytes()) {
            LineDelivery::Passed(line) => String::from_utf8(line).unwrap(),
            LineDelivery::Answered(line) => {
                format!("answered {}", String::from_utf8(line).unwrap())
            }
            LineDelivery::Dropped => "dropped".to_owned(),
        }
    }

    fn received(server: &mut SharedServer, message: &Value) -> Option<String> {
        received_line(server, &message.to_string(), LineArrival::During)
    }

    fn received_line(
        server: &mut SharedServer,
        line: &str,
        arrival: LineArrival,
    ) -> Option<String> {
        let line = server.receive(line.as_bytes().to_vec(), arrival)?;
        Some(String::from_utf8(line).unwrap())
    }

    fn discover(id: u64) -> Value {
        json!({ "id": id, "method": "server/discover" })
    }

    fn initialize(id: u64) -> Value {
        json!({ "id": id, "method": "initialize" })
    }

    fn call(id: u64) -> Value {
        json!({ "id": id, "method": "tools/call", "params": { "_meta": { "progressToken": id } } })
    }

    /// An older server after its first conversation, with three requests.
    fn after_one_test() -> SharedServer {
        let mut server = SharedServer::default();
        server.begin();
        assert_eq!(sent(&mut server, &discover(1)), discover(1).to_string());
        let refusal = json!({ "id": 1, "error": { "code": -32601 } });
        assert_eq!(received(&mut server, &refusal), Some(refusal.to_string()));
        sent(&mut server, &initialize(2));
        assert!(!server.is_free(), "nothing but the handshake was sent");
        let line = r#"{"id":2,"result":{"n":1.50}}"#;
        received_line(&mut server, line, LineArrival::During);
        let initialized = json!({ "method": INITIALIZED });
        assert_eq!(sent(&mut server, &initialized), initialized.to_string());
        assert_eq!(sent(&mut server, &call(3)), call(3).to_string());
        assert!(!server.is_free(), "it works");
        received(&mut server, &json!({ "id": 3, "result": {} }));
        assert!(server.is_free());
        server.begin();
        server
    }

    #[test]
    fn the_handshake_happens_once() {
        let mut server = after_one_test();
        assert_eq!(
            sent(&mut server, &discover(1)),
            r#"answered {"id":1,"error":{"code":-32601}}"#
        );
        assert_eq!(
            sent(&mut server, &initialize(7)),
            r#"answered {"id":7,"result":{"n":1.50}}"#
        );
        assert_eq!(
            sent(&mut server, &json!({ "method": INITIALIZED })),
            "dropped"
        );
        assert!(
            server.is_free(),
            "a test that sends nothing leaves it as it is"
        );
    }

    #[test]
    fn a_server_that_ignores_what_is_newer_is_asked_once() {
        let mut server = SharedServer::default();
        server.begin();
        sent(&mut server, &discover(1));
        sent(&mut server, &initialize(2));
        received(&mut server, &json!({ "id": 2, "result": {} }));
        sent(&mut server, &json!({ "method": INITIALIZED }));
        assert!(server.is_free());
        server.begin();
        let answer = sent(&mut server, &discover(1));
        assert!(answer.contains("did not answer"), "{answer}");
        // An answer of a newer server that comes late is its answer.
        assert_eq!(
            received(&mut server, &json!({ "id": 1, "result": {} })),
            None
        );
    }

    #[test]
    fn each_request_has_a_number_of_its_own() {
        let mut server = after_one_test();
        assert_eq!(sent(&mut server, &call(3)), call(4).to_string());
        let progress = |token: u64| json!({ "method": "notifications/progress", "params": { "progressToken": token } });
        let own = received(&mut server, &progress(4));
        assert_eq!(own, Some(progress(3).to_string()));
        assert_eq!(
            received(&mut server, &progress(3)),
            None,
            "of the test before"
        );
        let cancelled =
            |id: u64| json!({ "method": "notifications/cancelled", "params": { "requestId": id } });
        assert_eq!(sent(&mut server, &cancelled(3)), cancelled(4).to_string());
        assert_eq!(
            received(&mut server, &json!({ "id": 3, "result": 1 })),
            None
        );
        for (id, expected) in [
            (json!(4), r#"{"id":3,"result":1.0}"#),
            (json!("4"), r#"{"id":3,"result":1.0}"#),
            (json!(99), r#"{"id":99,"result":1.0}"#),
            (json!("x"), r#"{"id":"x","result":1.0}"#),
        ] {
            let got = received(&mut server, &json!({ "id": id, "result": 1.0 }));
            assert_eq!(got.as_deref(), Some(expected));
        }
    }

    #[test]
    fn what_a_server_says_by_itself_belongs_to_the_test_that_has_it() {
        let mut server = after_one_test();
        let question = json!({ "id": 3, "method": "roots/list" }).to_string();
        let log = json!({ "method": "notifications/message" }).to_string();
        for (line, is_kept_before) in [
            (question.as_str(), true),
            (&log, false),
            ("noise", false),
            ("", false),
        ] {
            let during = received_line(&mut server, line, LineArrival::During);
            assert_eq!(during.as_deref(), Some(line));
            let before = received_line(&mut server, line, LineArrival::Before);
            assert_eq!(before.is_some(), is_kept_before, "{line}");
        }
        let answer = json!({ "id": 3, "result": { "roots": [] } });
        assert_eq!(sent(&mut server, &answer), answer.to_string());
    }
}
