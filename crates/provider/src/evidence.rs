//! A request whose body has come, and the marks by which its lane is known.

use std::borrow::Cow;
use std::fmt::Write as _;

use bytes::Bytes;

use crate::compared_request::change_value;
use crate::mint::minted_letters;
use crate::model_lanes::LaneEvidence;
use crate::recorded::PathRequest;
use ananke_agents::http_server::ReceivedRequest;
use ananke_agents::{ModelBody, ModelWire, model_wires};

/// The end of the name of the header by which requests name the version of their API.
const API_VERSION: &str = "-version";

/// The ends of the paths at which APIs that are not read ask a model. Rules about calls would not see these, so that they are errors
/// also where any other path is recorded.
const CALLS_OF_OTHER_APIS: &[&str] = &[
    ":generateContent",
    ":streamGenerateContent",
    "/completions",
    "/converse",
    "/converse-stream",
    "/invoke",
    "/invoke-with-response-stream",
    "/api/chat",
    "/api/generate",
];

/// The part of a path that has the name of a lane after it: `/t/NAME/v1/…`.
pub(crate) const LANE_PREFIX: &str = "/t/";

/// The beginning of the signatures of reasoning, to which an id is added.
const SIGNATURE_PREFIX: &[u8] = b"YW5hbmtl";

/// The key of the lane in the header `baggage` (W3C Baggage).
const BAGGAGE_KEY: &str = "ananke.test";

/// The name of a lane in a path, and the rest of the path.
pub(crate) fn lane_of_path(path: &str) -> (Option<String>, &str) {
    let Some(rest) = path.strip_prefix(LANE_PREFIX) else {
        return (None, path);
    };
    match rest.find('/') {
        Some(end) => (Some(unescaped(&rest[..end])), &rest[end..]),
        None => (Some(unescaped(rest)), "/"),
    }
}

/// The name of a lane in the header `baggage`: `key=value` entries with commas between them, whose values may be escaped.
pub(crate) fn lane_of_baggage(request: &ReceivedRequest) -> Option<String> {
    let baggage = request.header("baggage")?;
    for entry in baggage.split(',') {
        // Properties of an entry follow a semicolon.
        let entry = entry.split(';').next().unwrap_or_default();
        if let Some((key, value)) = entry.split_once('=')
            && key.trim() == BAGGAGE_KEY
        {
            return Some(unescaped(value.trim()));
        }
    }
    None
}

/// The letters of the lanes that ids in the body of a request name, each once. Every API has them in other keys, and some as a part
/// of a signature.
pub(crate) fn letters_of_ids(body: &[u8]) -> Vec<String> {
    let mut letters = Vec::new();
    for (place, byte) in body.iter().enumerate() {
        if !matches!(byte, b'_' | b'-') && !body[..=place].ends_with(SIGNATURE_PREFIX) {
            continue;
        }
        if let Some(found) = minted_letters(&body[place + 1..])
            && !letters.iter().any(|known| known == found)
        {
            letters.push(found.to_owned());
        }
    }
    letters
}

/// A name as a part of a path: everything but letters, digits and a few signs is escaped.
pub(crate) fn escaped(name: &str) -> String {
    let mut text = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            text.push(char::from(byte));
        } else {
            // Writing to a text never fails.
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

/// A text with `%20` and the like as the characters that they mean. Anything else stays as it is.
pub(crate) fn unescaped(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, others @ ..] = rest {
        if *first == b'%'
            && let Some(digits) = text_of(others.get(..2))
            && let Ok(byte) = u8::from_str_radix(digits, 16)
        {
            bytes.push(byte);
            rest = &others[2..];
        } else {
            bytes.push(*first);
            rest = others;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn text_of(digits: Option<&[u8]>) -> Option<&str> {
    let digits = digits?;
    // A sign is a digit for the library, and none for a URL.
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    std::str::from_utf8(digits).ok()
}

/// A request whose body has come.
pub(crate) struct WholeRequest {
    pub(crate) method: String,
    /// The path without the lane and the query.
    pub(crate) path: String,
    pub(crate) of_path: Option<String>,
    pub(crate) of_baggage: Option<String>,
    pub(crate) is_repeated: bool,
    /// The encoding of the body, if it has one.
    pub(crate) encoding: Option<String>,
    /// The path and query without the lane.
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Bytes,
}

impl WholeRequest {
    /// The body, read as a request of this API.
    ///
    /// # Errors
    /// The reason why it is none.
    pub(crate) fn read(&self, wire: &dyn ModelWire) -> Result<ModelBody, String> {
        match &self.encoding {
            Some(encoding) if encoding != "identity" => {
                Err(format!("the content encoding `{encoding}` is not read"))
            }
            _ if self.body.is_empty() => Err("it is empty".to_owned()),
            _ => wire.read(&self.body),
        }
    }

    /// The version of its API, if it names one.
    pub(crate) fn api_version(&self) -> Option<String> {
        for (name, value) in &self.headers {
            // Clients have further versions, of themselves.
            if name.ends_with(API_VERSION) && !name.starts_with("x-") {
                return Some(value.clone());
            }
        }
        None
    }

    /// The evidence outside of its body.
    pub(crate) fn evidence(&self) -> LaneEvidence {
        LaneEvidence {
            of_path: self.of_path.clone(),
            of_baggage: self.of_baggage.clone(),
            letters: Vec::new(),
            user_text: String::new(),
        }
    }

    /// The evidence with that of its body, of whatever API it is.
    pub(crate) fn whole_evidence(&self) -> LaneEvidence {
        let mut texts = Vec::new();
        if let Ok(mut body) = serde_json::from_slice(&self.body) {
            change_value(&mut body, &mut |text| {
                texts.push(text.to_owned());
                Cow::Borrowed(text)
            });
        }
        LaneEvidence {
            letters: letters_of_ids(&self.body),
            user_text: texts.join("\n"),
            ..self.evidence()
        }
    }

    /// Whether it asks a model over an API that is not read.
    pub(crate) fn is_call_of_other_api(&self) -> bool {
        for end in CALLS_OF_OTHER_APIS {
            if self.path.ends_with(end) {
                return true;
            }
        }
        false
    }

    /// The path after the version of the API, which a provider may have at another place.
    pub(crate) fn path_of_api(&self) -> &str {
        match self.path.find("/v1/") {
            Some(place) => &self.path[place + "/v1".len()..],
            None => &self.path,
        }
    }

    /// The provider of a path that no API of models has. A client may name the version of its provider's API in a header; the first
    /// API belongs to the provider whose clients name none.
    fn provider(&self) -> &'static str {
        let mut first = "";
        for wire in model_wires() {
            let provider = wire.provider();
            if first.is_empty() {
                first = provider;
            }
            for (name, _) in &self.headers {
                if name.strip_suffix(API_VERSION) == Some(provider) {
                    return provider;
                }
            }
        }
        first
    }

    /// The request as one that is no call to a model.
    pub(crate) fn path_request(&self) -> PathRequest<'_> {
        PathRequest {
            provider: self.provider(),
            method: &self.method,
            target: &self.target,
            body: &self.body,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_its_lane() {
        assert_eq!(
            lane_of_path("/t/pays%20once/v1/responses"),
            (Some("pays once".to_owned()), "/v1/responses")
        );
        assert_eq!(lane_of_path("/t/pays"), (Some("pays".to_owned()), "/"));
        assert_eq!(lane_of_path("/v1/t/x"), (None, "/v1/t/x"));
    }

    #[test]
    fn a_lane_is_found_by_the_path_that_it_is_given() {
        for name in ["shop/a.test.yaml::pays once", "ä?#%", ".."] {
            let path = format!("{LANE_PREFIX}{}/v1/responses", escaped(name));
            assert_eq!(
                lane_of_path(&path),
                (Some(name.to_owned()), "/v1/responses")
            );
        }
    }

    #[test]
    fn ids_are_found_wherever_an_api_has_them() {
        let body = br#"{"previous_response_id":"resp_abcd1","input":[{"id":"msg_EfGh2_0"},{"signature":"YW5hbmtlIjKl3"},"call_abcd9 and my_tool_name1"]}"#;
        assert_eq!(letters_of_ids(body), ["abcd", "EfGh", "IjKl", "name"]);
        assert_eq!(letters_of_ids(b"call_abc"), Vec::<String>::new());
    }

    #[test]
    fn escapes_that_are_none_stay() {
        for text in ["%", "%2", "%zz", "%+1", "100%"] {
            assert_eq!(unescaped(text), text);
        }
        assert_eq!(unescaped("%C3%A4"), "ä");
    }
}
