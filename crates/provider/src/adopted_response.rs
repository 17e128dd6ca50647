//! A recorded answer with the ids of a lane instead of those that the provider has made: they name the lane when they come back.

use std::time::Duration;

use indexmap::IndexMap;
use regex::{Captures, Regex};
use serde_json::Value;

use crate::mint::Mint;
use crate::model_recording::RecordedModelCall;
use ananke_agents::{Round, RoundPart, ServedFrame, ServedResponse};
use ananke_trace::trace::ModelAnswer;

/// The keys of ids in responses of all APIs.
const ID_KEYS: &str = "id|call_id|item_id|tool_use_id|response_id";

/// The keys whose values the model, the agent or a tool has written: an id in them is none of the API.
const FREE_KEYS: &[&str] = &[
    "input",
    "arguments",
    "args",
    "metadata",
    "tools",
    "parameters",
    "instructions",
    "output_schema",
    "previous_response_id",
];

/// The longest prefix of an id that is kept.
const LONGEST_PREFIX: usize = 12;

/// A recorded answer as a lane gives it.
#[derive(Debug)]
pub(crate) struct AdoptedResponse {
    /// The id of the response without the prefix of its API.
    pub(crate) id: String,
    /// The answer with new ids.
    pub(crate) answer: ModelAnswer,
    /// The recorded response with new ids; `None` if its frames are not recorded.
    pub(crate) response: Option<ServedResponse>,
    /// The new ids, each with the one that the provider has made.
    pub(crate) ids: IndexMap<String, String>,
}

/// The answer of `call` with ids of `mint`.
pub(crate) fn adopted_response(call: &RecordedModelCall, mint: &mut Mint) -> AdoptedResponse {
    let mut found = FoundIds::default();
    for frame in &call.frames {
        found.add_frame(&frame.text);
    }
    let id = mint.response();
    // The provider's ids, each with the new one.
    let mut new_ids: IndexMap<String, String> = IndexMap::new();
    for called in &call.answer.calls {
        let number = mint.call();
        new_ids.insert(called.id.clone(), with_prefix(&called.id, "call", &number));
    }
    let mut items = 0;
    for known in found.of_responses {
        let new = format!("{}{id}", prefix(&known, "resp_"));
        new_ids.entry(known).or_insert(new);
    }
    for known in found.others {
        if !new_ids.contains_key(&known) {
            let new = format!("{}{id}_{items}", prefix(&known, "item_"));
            new_ids.insert(known, new);
            items += 1;
        }
    }

    let mut answer = call.answer.clone();
    for called in &mut answer.calls {
        if let Some(new) = new_ids.get(&called.id) {
            called.id.clone_from(new);
        }
    }
    let mut ids = IndexMap::new();
    for (known, new) in &new_ids {
        ids.insert(new.clone(), known.clone());
    }
    AdoptedResponse {
        id,
        answer,
        response: adopted_frames(call, &new_ids),
        ids,
    }
}

/// The recorded frames with ids of this lane; `None` if a secret kept them out of the recording.
fn adopted_frames(
    call: &RecordedModelCall,
    new_ids: &IndexMap<String, String>,
) -> Option<ServedResponse> {
    if call.frames.is_empty() {
        return None;
    }
    let pattern = Regex::new(&format!(r#""({ID_KEYS})"(\s*:\s*)"([^"\\]+)""#)).ok()?;
    let mut frames = Vec::new();
    for frame in &call.frames {
        // The rest of the text stays as it came, because signatures may cover its bytes.
        let text = pattern.replace_all(&frame.text, |found: &Captures<'_>| {
            match new_ids.get(&found[3]) {
                Some(new) => format!("\"{}\"{}\"{new}\"", &found[1], &found[2]),
                None => found[0].to_owned(),
            }
        });
        frames.push(ServedFrame {
            after: Duration::from_micros(frame.at_us),
            bytes: text.into_owned().into(),
        });
    }
    Some(ServedResponse::new(200, &call.content_type, frames))
}

/// A body of a request, in which the ids of the lane are those that the provider has made.
pub(crate) fn with_ids_of_provider(body: &str, ids: &IndexMap<String, String>) -> String {
    let mut text = body.to_owned();
    for (new, known) in ids {
        text = text.replace(&format!("\"{new}\""), &format!("\"{known}\""));
    }
    text
}

/// The parts of an answer, from which any API can make a response.
pub(crate) fn round_of_answer(answer: &ModelAnswer) -> Round {
    let mut round = Round {
        usage: answer.usage,
        finish: answer.finish,
        calls: answer.calls.len(),
        ..Round::default()
    };
    let mut parts = Vec::new();
    if !answer.reasoning.is_empty() {
        parts.push(RoundPart::Reasoning(answer.reasoning.clone()));
    }
    if !answer.text.is_empty() {
        parts.push(RoundPart::Text(answer.text.clone()));
    }
    for (place, call) in answer.calls.iter().enumerate() {
        parts.push(RoundPart::Call(place, call.id.clone(), call.tool.clone()));
        // Arguments that were no JSON stay the text that they were.
        let arguments = match &call.args {
            Value::String(text) => text.clone(),
            value => value.to_string(),
        };
        parts.push(RoundPart::Arguments(place, arguments));
    }
    for part in parts {
        round.parts.push((Duration::ZERO, part));
    }
    round
}

/// The prefix of an id with its separator, or `other` if it has none that could be one.
fn prefix<'i>(id: &'i str, other: &'i str) -> &'i str {
    match id.find(['_', '-']) {
        Some(end) if end > 0 && end <= LONGEST_PREFIX && is_letters(&id[..end]) => &id[..=end],
        _ => other,
    }
}

fn is_letters(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// A minted id, whose prefix is that of `known` instead of `own`.
fn with_prefix(known: &str, own: &str, minted: &str) -> String {
    let rest = minted.strip_prefix(own).unwrap_or(minted);
    let rest = rest.trim_start_matches('_');
    format!("{}{rest}", prefix(known, "call_"))
}

/// The ids in a response, each once.
#[derive(Default)]
struct FoundIds {
    /// The ids of the response itself.
    of_responses: Vec<String>,
    others: Vec<String>,
}

impl FoundIds {
    fn add_frame(&mut self, text: &str) {
        if let Ok(document) = serde_json::from_str(text) {
            self.add_document(&document);
            return;
        }
        for line in text.lines() {
            if let Some(data) = line.strip_prefix("data:")
                && let Ok(document) = serde_json::from_str(data)
            {
                self.add_document(&document);
            }
        }
    }

    fn add_document(&mut self, document: &Value) {
        // The id is looked for in every event, because a stream names its response in those that begin and end it.
        for owner in [document, &document["response"], &document["message"]] {
            if let Some(id) = owner["id"].as_str() {
                add(id, &mut self.of_responses);
            }
        }
        self.add_value(document);
    }

    fn add_value(&mut self, value: &Value) {
        // Ids are at any depth, because each API nests its parts in another way.
        match value {
            Value::Array(items) => {
                for item in items {
                    self.add_value(item);
                }
            }
            Value::Object(entries) => {
                for (key, entry) in entries {
                    if FREE_KEYS.contains(&key.as_str()) {
                        continue;
                    }
                    match entry.as_str() {
                        Some(id) if ID_KEYS.split('|').any(|known| known == key) => {
                            if !self.of_responses.iter().any(|known| known == id) {
                                add(id, &mut self.others);
                            }
                        }
                        _ => self.add_value(entry),
                    }
                }
            }
            _ => {}
        }
    }
}

fn add(id: &str, ids: &mut Vec<String>) {
    if !id.is_empty() && !ids.iter().any(|known| known == id) {
        ids.push(id.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use ananke_trace::trace::ModelToolCall;
    use serde_json::json;

    use super::*;
    use crate::evidence::letters_of_ids;
    use crate::model_recording::RecordedFrame;
    use crate::model_recording::tests::call;

    fn recorded(texts: &[String]) -> RecordedModelCall {
        let mut call = call("a");
        call.answer.calls = vec![ModelToolCall {
            id: "call_xyz9".to_owned(),
            tool: "pay".to_owned(),
            args: json!({ "id": "chatcmpl-8" }),
        }];
        call.frames = Vec::new();
        for text in texts {
            call.frames.push(RecordedFrame {
                at_us: 7,
                text: text.clone(),
            });
        }
        call
    }

    #[test]
    fn ids_of_the_provider_are_replaced_and_nothing_else() {
        let item = json!({ "id": "fc_1", "call_id": "call_xyz9", "input": { "id": "free_1" } });
        let first = json!({ "response": { "id": "resp_abc" }, "item": item, "n": 1.50 });
        let text = format!("event: x\ndata: {first}\n\n");
        let mut mint = Mint::new("wxyz".to_owned());
        let adopted = adopted_response(&recorded(std::slice::from_ref(&text)), &mut mint);
        let response = adopted.response.unwrap();
        let sent = String::from_utf8(response.body()).unwrap();
        let expected = text
            .replace("resp_abc", "resp_wxyz1")
            .replace("fc_1", "fc_wxyz1_0")
            .replace("call_xyz9", "call_wxyz1");
        assert_eq!(sent, expected);
        assert_eq!(adopted.id, "wxyz1");
        assert_eq!(adopted.answer.calls[0].id, "call_wxyz1");
        for new in adopted.ids.keys() {
            assert_eq!(letters_of_ids(new.as_bytes()), ["wxyz"], "{new}");
        }
        let back = with_ids_of_provider("[\"call_wxyz1\",\"resp_wxyz1\"]", &adopted.ids);
        assert_eq!(back, "[\"call_xyz9\",\"resp_abc\"]");
    }

    #[test]
    fn odd_ids_get_a_prefix_of_their_own() {
        for (id, expected) in [
            ("toolu_01A", "toolu_"),
            ("chatcmpl-1", "chatcmpl-"),
            ("abc", "call_"),
            ("_x", "call_"),
            ("1f-2", "call_"),
            ("averyverylongprefix_1", "call_"),
            ("ä_1", "call_"),
        ] {
            assert_eq!(prefix(id, "call_"), expected, "{id}");
        }
    }

    #[test]
    fn a_response_without_frames_is_made_of_its_answer() {
        let mut mint = Mint::new("wxyz".to_owned());
        let adopted = adopted_response(&recorded(&[]), &mut mint);
        assert!(adopted.response.is_none());
        let round = round_of_answer(&adopted.answer);
        assert_eq!(round.calls, 1);
        assert_eq!(round.parts.len(), 3);
    }
}
