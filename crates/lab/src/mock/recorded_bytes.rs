//! The responses of a recording for requests that no protocol reads: each is found by what was requested.

use std::sync::{Mutex, PoisonError};

use ananke_recording::{AgentAnswer, AgentExchange, KeptRecording};
use regex::Regex;

/// Ids of 36 characters (RFC 9562, 4), which are others in each conversation.
const IDS: &str = "(?i)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";

/// The exchanges of a recorded conversation, in their order.
pub(super) struct RecordedBytes {
    /// Paths and bodies are without ids.
    exchanges: Vec<AgentExchange>,
    ids: Regex,
    /// The number of exchanges of the conversation so far.
    position: Mutex<usize>,
}

impl RecordedBytes {
    /// The exchanges of a recording.
    pub(super) fn of(recording: &KeptRecording) -> Self {
        Self::of_exchanges(recording.agent_exchanges())
    }

    fn of_exchanges(recorded: impl Iterator<Item = AgentExchange>) -> Self {
        let ids = Regex::new(IDS).expect("a valid expression");
        let mut exchanges: Vec<_> = recorded.collect();
        for exchange in &mut exchanges {
            exchange.path = without_ids(&exchange.path, &ids);
            exchange.body = without_ids(&exchange.body, &ids);
        }
        Self {
            exchanges,
            ids,
            position: Mutex::default(),
        }
    }

    /// The answer to a request. `path` has no query, since recordings have none.
    ///
    /// # Errors
    /// If nothing like it was requested; the message lists what was.
    pub(super) fn answer(
        &self,
        method: &str,
        path: &str,
        body: &[u8],
    ) -> Result<AgentAnswer, String> {
        let body = String::from_utf8_lossy(body);
        let path = without_ids(path, &self.ids);
        let body = without_ids(&body, &self.ids);
        let mut position = self.position.lock().unwrap_or_else(PoisonError::into_inner);
        let mut to_same_place = Vec::new();
        let mut equal = Vec::new();
        for (index, exchange) in self.exchanges.iter().enumerate() {
            if exchange.method != method || exchange.path != path {
                continue;
            }
            to_same_place.push(index);
            if exchange.body == body {
                equal.push(index);
            }
        }
        // A request that was recorded several times, such as one that waits, goes on from where the conversation is. Without one at a
        // later place, the conversation begins again. A test that says something else gets the answers in their order.
        let candidates = if equal.is_empty() {
            to_same_place
        } else {
            equal
        };
        let mut found = candidates.first();
        for candidate in &candidates {
            if *candidate >= *position {
                found = Some(candidate);
                break;
            }
        }
        let Some(found) = found else {
            return Err(format!(
                "the recording has no {method} {path}; it has {}",
                self.places()
            ));
        };
        *position = found + 1;
        Ok(self.exchanges[*found].answer.clone())
    }

    /// The places that requests of the recording were sent to, each once.
    fn places(&self) -> String {
        let mut places = Vec::new();
        for AgentExchange { method, path, .. } in &self.exchanges {
            let place = format!("{method} {path}");
            if !places.contains(&place) {
                places.push(place);
            }
        }
        places.join(", ")
    }
}

fn without_ids(text: &str, ids: &Regex) -> String {
    ids.replace_all(text, "ID").into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ananke_agents::ServedResponse;

    fn recorded(requests: &[(&str, &str, &str, u16)]) -> RecordedBytes {
        let exchanges = requests
            .iter()
            .map(|(method, path, body, status)| AgentExchange {
                method: (*method).to_owned(),
                path: (*path).to_owned(),
                body: (*body).to_owned(),
                answer: AgentAnswer::Response(ServedResponse::new(*status, "", Vec::new())),
            });
        RecordedBytes::of_exchanges(exchanges)
    }

    #[test]
    fn a_request_gets_the_answer_that_it_got() {
        let bytes = recorded(&[
            ("POST", "/chats", "{}", 201),
            (
                "POST",
                "/say",
                r#"{"t":"0a000000-0000-4000-8000-000000000000","x":"hi"}"#,
                202,
            ),
            ("GET", "/job", "", 203),
            ("GET", "/job", "", 204),
            (
                "POST",
                "/say",
                r#"{"t":"0a000000-0000-4000-8000-000000000000","x":"bye"}"#,
                205,
            ),
        ]);
        let mut statuses = Vec::new();
        let say =
            |text: &str| format!(r#"{{"t":"0B000000-0000-4000-8000-00000000000b","x":"{text}"}}"#);
        let (hi, bye, other) = (say("hi"), say("bye"), say("what?"));
        for (method, path, body) in [
            ("POST", "/chats", "{}"),
            ("POST", "/say", hi.as_str()),
            ("GET", "/job", ""),
            ("GET", "/job", ""),
            ("POST", "/say", &bye),
            // The next conversation, which says something else.
            ("POST", "/chats", "{}"),
            ("POST", "/say", &other),
            ("GET", "/job", ""),
            ("POST", "/say", &other),
        ] {
            match bytes.answer(method, path, body.as_bytes()) {
                Ok(AgentAnswer::Response(response)) => statuses.push(response.status),
                other => panic!("{method} {path}: {other:?}"),
            }
        }
        assert_eq!(statuses, [201, 202, 203, 204, 205, 201, 202, 203, 205]);
        assert_eq!(
            bytes.answer("PUT", "/say", b"").unwrap_err(),
            "the recording has no PUT /say; it has POST /chats, POST /say, GET /job"
        );
    }
}
