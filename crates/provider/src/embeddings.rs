//! Embeddings without a model: vectors made from a hash of each text. Every agent with retrieval asks for one before its first
//! turn, and needs vectors of the right length rather than good ones.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};

use ananke_base::context::digest_number;

/// The end of the path of such requests.
pub(crate) const PATH: &str = "/embeddings";

/// The length of a vector if the request asks for none.
const LENGTH: usize = 1536;

/// The longest vector that is made: more than any model has.
const LONGEST: usize = 65_536;

/// The most texts of one request, as with the provider.
const MOST_TEXTS: usize = 2048;

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct EmbeddingsBody {
    #[serde(default)]
    model: String,
    input: Value,
    #[serde(default)]
    dimensions: Value,
    encoding_format: Option<String>,
}

/// The answer to a request for embeddings: the same texts have the same vectors, of length 1.
///
/// # Errors
/// The reason why the body is no such request.
pub(crate) fn embeddings(body: &[u8]) -> Result<Value, String> {
    let body: EmbeddingsBody = match serde_json::from_slice(body) {
        Ok(body) => body,
        Err(error) => return Err(error.to_string()),
    };
    // Bounds come first, because a short request could ask for any amount of memory.
    let length = length(&body.dimensions)?;
    let inputs = inputs(&body.input)?;
    if inputs.len() > MOST_TEXTS {
        return Err(format!("`input` has more than {MOST_TEXTS} texts"));
    }
    let is_base64 = body.encoding_format.as_deref() == Some("base64");
    let mut data = Vec::new();
    for (index, input) in inputs.iter().enumerate() {
        let vector = vector(input, length);
        let embedding = if is_base64 {
            Value::String(base64(&vector))
        } else {
            json!(vector)
        };
        data.push(json!({ "object": "embedding", "index": index, "embedding": embedding }));
    }
    Ok(json!({
        "object": "list",
        "data": data,
        "model": body.model,
        "usage": { "prompt_tokens": 0, "total_tokens": 0 },
    }))
}

/// The length that the vectors have to have.
fn length(dimensions: &Value) -> Result<usize, String> {
    if dimensions.is_null() {
        return Ok(LENGTH);
    }
    // A bound keeps a short request from asking for any amount of memory.
    if let Some(written) = dimensions.as_u64()
        && let Ok(length) = usize::try_from(written)
        && (1..=LONGEST).contains(&length)
    {
        return Ok(length);
    }
    Err(format!(
        "`dimensions` must be a whole number from 1 to {LONGEST}"
    ))
}

/// The inputs: one text or one list of tokens, or several.
fn inputs(input: &Value) -> Result<Vec<String>, String> {
    match input {
        Value::String(text) => Ok(vec![text.clone()]),
        Value::Array(items) if items.iter().all(Value::is_number) && !items.is_empty() => {
            Ok(vec![input.to_string()])
        }
        Value::Array(items) => {
            let mut texts = Vec::new();
            for item in items {
                match item {
                    Value::String(text) => texts.push(text.clone()),
                    Value::Array(_) => texts.push(item.to_string()),
                    _ => return Err("an entry of `input` is neither a text nor a list".to_owned()),
                }
            }
            Ok(texts)
        }
        _ => Err("`input` is neither a text nor a list".to_owned()),
    }
}

/// A vector of length 1 that depends on the text alone.
fn vector(text: &str, length: usize) -> Vec<f32> {
    let mut state = digest_number(text);
    let mut vector = Vec::with_capacity(length);
    let mut sum = 0.0_f32;
    for _ in 0..length {
        // The steps of SplitMix64, whose outputs are spread evenly whatever the hash is.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        let value = centred(mixed);
        sum += value * value;
        vector.push(value);
    }
    let norm = sum.sqrt();
    for value in &mut vector {
        *value /= norm;
    }
    vector
}

/// A number from -1 to 1, and never 0, from the high bits of a hash.
fn centred(mixed: u64) -> f32 {
    let high = u16::try_from(mixed >> 48).unwrap_or_default();
    (f32::from(high) + 0.5) / 32_768.0 - 1.0
}

/// The bytes of the numbers in the order of the provider, as text.
fn base64(vector: &[f32]) -> String {
    let mut bytes = Vec::with_capacity(vector.len() * 4);
    for value in vector {
        bytes.extend_from_slice(&value.to_le_bytes());
    }
    STANDARD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(body: &Value) -> Value {
        embeddings(body.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn equal_texts_have_equal_vectors_of_length_1() {
        let answer = of(&json!({ "model": "m", "input": ["a", "b", "a"], "dimensions": 8 }));
        let vectors: Vec<Vec<f64>> = (0..3)
            .map(|index| {
                serde_json::from_value(answer["data"][index]["embedding"].clone()).unwrap()
            })
            .collect();
        assert_eq!(vectors[0], vectors[2]);
        assert_ne!(vectors[0], vectors[1]);
        let norm: f64 = vectors[0].iter().map(|value| value * value).sum();
        assert!((norm - 1.0).abs() < 1e-5, "{norm}");
    }

    #[test]
    fn texts_and_tokens_are_inputs() {
        assert_eq!(
            of(&json!({ "input": "a" }))["data"][0]["embedding"]
                .as_array()
                .unwrap()
                .len(),
            LENGTH
        );
        assert_eq!(
            of(&json!({ "input": [1, 2] }))["data"]
                .as_array()
                .unwrap()
                .len(),
            1
        );
        assert_eq!(
            of(&json!({ "input": [[1], [2]] }))["data"]
                .as_array()
                .unwrap()
                .len(),
            2
        );
    }

    #[test]
    fn the_python_client_gets_bytes() {
        let answer = of(&json!({ "input": "a", "dimensions": 2, "encoding_format": "base64" }));
        let text = answer["data"][0]["embedding"].as_str().unwrap();
        assert_eq!(STANDARD.decode(text).unwrap().len(), 8);
    }

    #[test]
    fn a_length_that_is_not_valid_is_explained() {
        for dimensions in ["0", "-1", "1.5", "\"8\"", "65537"] {
            let body = format!("{{\"input\":\"a\",\"dimensions\":{dimensions}}}");
            let expected = "`dimensions` must be a whole number from 1 to 65536";
            assert_eq!(embeddings(body.as_bytes()).unwrap_err(), expected);
        }
    }

    #[test]
    fn other_bodies_are_refused() {
        for body in [
            "",
            "[]",
            "{}",
            r#"{"input":1}"#,
            r#"{"input":[{}]}"#,
            r#"{"input":"a","dimensions":0}"#,
            r#"{"input":"a","dimensions":99999999}"#,
        ] {
            assert!(embeddings(body.as_bytes()).is_err(), "{body}");
        }
    }
}
