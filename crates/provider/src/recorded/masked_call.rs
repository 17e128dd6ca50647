//! A recorded call without the keys that were in it.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::model_recording::RecordedModelCall;
use crate::provider_keys::{mask_value, without_keys};

/// The text that replaces a secret.
const MASK: &str = "***";

/// The shortest text that is masked as a secret: shorter ones are parts of words.
const SHORTEST: usize = 8;

/// The call without keys and without `secrets`, and whether it had any.
pub(crate) fn masked(mut call: RecordedModelCall, secrets: &[String]) -> (RecordedModelCall, bool) {
    let in_request = mask(&mut call.request, secrets);
    let in_answer = mask(&mut call.answer, secrets);
    let mut in_frames = 0;
    for frame in &mut call.frames {
        let (text, count) = without_keys(&frame.text);
        let (text, exact) = without_secrets(&text, secrets);
        in_frames += count + exact;
        frame.text = text;
    }
    // The frames are dropped, because a stream may have a key in pieces, which no frame shows.
    if in_answer > 0 && call.is_streamed {
        call.frames.clear();
    }
    let count = in_request + in_answer + in_frames;
    (call, count > 0)
}

/// Masks all texts in something that is written as JSON, and returns the number of those that were masked.
fn mask<T: Serialize + DeserializeOwned>(masked: &mut T, secrets: &[String]) -> usize {
    let Ok(mut value) = serde_json::to_value(&*masked) else {
        return 0;
    };
    let mut count = mask_value(&mut value);
    let (text, exact) = without_secrets(&value.to_string(), secrets);
    count += exact;
    if count > 0
        && let Ok(without) = serde_json::from_str(&text)
    {
        *masked = without;
    }
    count
}

/// The text without keys and without `secrets`, and the number of those that were masked.
pub(crate) fn masked_text(text: &str, secrets: &[String]) -> (String, usize) {
    // JSON is read first, because the escape of a line break hides where a key begins.
    let mut text = text.to_owned();
    let mut in_json = 0;
    if let Ok(mut value) = serde_json::from_str(&text) {
        in_json = mask_value(&mut value);
        if in_json > 0 {
            text = value.to_string();
        }
    }
    let (without, count) = without_keys(&text);
    let (without, exact) = without_secrets(&without, secrets);
    (without, in_json + count + exact)
}

fn without_secrets(text: &str, secrets: &[String]) -> (String, usize) {
    let mut text = text.to_owned();
    let mut count = 0;
    for secret in secrets {
        if secret.len() >= SHORTEST && text.contains(secret.as_str()) {
            count += 1;
            text = text.replace(secret.as_str(), MASK);
        }
    }
    (text, count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model_recording::tests::call;

    #[test]
    fn no_key_stays_in_a_call() {
        let key = "sk-proj-abcdefgh12345678";
        let mut with_key = call(key);
        with_key.frames[0].text = format!("{{\"text\":\"{key}\"}}");
        let (without, has_secret) = masked(with_key, &[]);
        assert!(has_secret);
        let written = serde_json::to_string(&without).unwrap();
        assert!(!written.contains("abcdefgh"), "{written}");
        assert_eq!(without.frames.len(), 1);
    }

    #[test]
    fn known_secrets_and_keys_in_pieces_are_masked() {
        let mut streamed = call("a");
        streamed.is_streamed = true;
        streamed.answer.text = "it is gsk_abcdefghij1234567890".to_owned();
        let (without, has_secret) = masked(streamed, &[]);
        assert!(has_secret && without.frames.is_empty());
        assert_eq!(without.answer.text, "it is ***");

        let secrets = ["my-own-secret".to_owned(), "short".to_owned()];
        let (without, has_secret) = masked(call("my-own-secret is short"), &secrets);
        assert!(has_secret);
        let expected = call("*** is short");
        assert_eq!(without.request, expected.request);
        let (same, has_secret) = masked(call("nothing"), &secrets);
        assert_eq!((same, has_secret), (call("nothing"), false));
    }
}
