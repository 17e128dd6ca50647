//! An answer that came as one document, as the stream of chunks that says the same.

use std::time::Duration;

use serde_json::{Value, json};

use ananke_agents::ServedFrame;

/// The stream that says the same as a completion in one document; `None` if the document is not a completion.
pub(super) fn chunks(document: &Value, after: Duration) -> Option<Vec<ServedFrame>> {
    let chunk = chunk(document.clone())?;
    Some(vec![
        ServedFrame::event(after, chunk),
        ServedFrame::event(after, "[DONE]"),
    ])
}

/// The document as the single chunk of a stream, whose deltas contain the whole messages; `None` if it is not a completion.
fn chunk(mut document: Value) -> Option<Value> {
    for choice in document.get_mut("choices")?.as_array_mut()? {
        let mut message = choice.as_object_mut()?.remove("message")?;
        // Calls in a chunk need an index, because it says which call a fragment belongs to. A document has none.
        if let Some(Value::Array(calls)) = message.get_mut("tool_calls") {
            for (index, call) in calls.iter_mut().enumerate() {
                call.as_object_mut()?
                    .insert("index".to_owned(), json!(index));
            }
        }
        choice["delta"] = message;
    }
    document["object"] = json!("chat.completion.chunk");
    Some(document)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use ananke_agents::{ServedEnd, ServedResponse};
    use bytes::Bytes;

    use super::*;

    fn response(bodies: &[&str]) -> ServedResponse {
        let frame = |(number, body): (u64, &&str)| ServedFrame {
            after: Duration::from_millis(number),
            bytes: Bytes::from((*body).to_owned()),
        };
        ServedResponse::new(
            200,
            "application/json",
            (1..).zip(bodies).map(frame).collect(),
        )
    }

    #[test]
    fn a_document_is_one_chunk_that_says_the_same() {
        let parts = [
            r#"{"id":"c","object":"chat.completion","model":"m","choices":[{"index":0,"mess"#,
            r#"age":{"content":null,"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}"#,
        ];
        let stream = response(&parts).streamed(chunks);
        assert!(stream.is_event_stream());
        let text: String = stream
            .frames
            .iter()
            .map(|frame| String::from_utf8_lossy(&frame.bytes).into_owned())
            .collect();
        let (chunk, end) = text.split_once("\n\n").unwrap();
        assert_eq!(end, "data: [DONE]\n\n");
        let chunk: Value = serde_json::from_str(chunk.strip_prefix("data: ").unwrap()).unwrap();
        let call = json!({ "id": "a", "function": { "name": "f", "arguments": "{}" }, "index": 0 });
        let choice = json!({ "index": 0, "finish_reason": "tool_calls", "delta": { "content": null, "tool_calls": [call] } });
        assert_eq!(
            chunk,
            json!({ "id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [choice] })
        );
        assert_eq!(stream.frames[0].after, Duration::from_millis(2));
    }

    #[test]
    fn anything_else_stays_as_it_is() {
        let broken = ServedResponse {
            end: ServedEnd::Breaks(Duration::ZERO),
            ..response(&[r#"{"choices":[]}"#])
        };
        for kept in [
            response(&["data: {}\n\n"]),
            response(&[r#"{"error":{}}"#]),
            response(&[]),
            broken,
        ] {
            assert_eq!(kept.clone().streamed(chunks), kept);
        }
    }
}
