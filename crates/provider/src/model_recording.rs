//! The file with the calls of one lane: a header, one line a call, and an end that shows that nothing is missing.

use std::io::{self, Read as _};
use std::path::Path;

use bytes::Bytes;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::problem::{ModelProblem, ModelProblemKind};
use ananke_base::context::{Files, write_file};
use ananke_base::source::reason;
use ananke_base::text::escape;
use ananke_trace::trace::{ModelAnswer, ModelRequest};

/// The version of the format. Another number before the dot is another format.
const VERSION: &str = "1.0";

/// The largest file that is read: 256 MiB.
const MOST_BYTES: u64 = 256 << 20;

/// The calls of a lane, as they were recorded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelRecording {
    /// The name of the lane.
    pub lane: String,
    /// The calls, in the order in which they were made.
    pub(crate) calls: Vec<RecordedModelCall>,
    /// The requests that are no calls, in the order in which they were made.
    pub(crate) requests: Vec<RecordedPathRequest>,
}

/// A call of an agent to its model, as it was recorded.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(crate) struct RecordedModelCall {
    /// The end of the path of its API.
    pub(crate) path: String,
    /// The version of the API that the request names, if it names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) api_version: Option<String>,
    /// Whether the answer was asked for as a stream.
    pub(crate) is_streamed: bool,
    /// The request in normal form.
    pub(crate) request: ModelRequest,
    /// The answer in normal form.
    pub(crate) answer: ModelAnswer,
    /// The time of the request in microseconds after the first one of the attempt.
    pub(crate) at_us: u64,
    /// The time that the answer took, in microseconds.
    pub(crate) took_us: u64,
    /// The content type of the response.
    pub(crate) content_type: String,
    /// The response as it came; empty if it had something that must not be in a recording.
    pub(crate) frames: Vec<RecordedFrame>,
}

/// A request that is no call to a model, such as one for embeddings, and its response.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(crate) struct RecordedPathRequest {
    /// `POST` or another method.
    pub(crate) method: String,
    /// The path and query without the lane, whose secrets are masked.
    pub(crate) path: String,
    /// What the agent sent, with masks instead of keys.
    pub(crate) body: RecordedPathBody,
    /// HTTP status, from 200 on.
    #[serde(deserialize_with = "read_status")]
    pub(crate) status: u16,
    /// The content type of the response; empty if it names none.
    pub(crate) content_type: String,
    /// What the provider sent, with masks instead of keys.
    pub(crate) response: RecordedPathBody,
    /// The time of the request in microseconds after the first one of the attempt.
    pub(crate) at_us: u64,
    /// The time that the response took, in microseconds.
    pub(crate) took_us: u64,
}

/// The bytes of a request or a response, readable if they are text.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RecordedPathBody {
    /// UTF-8.
    Text(String),
    /// Bytes that are no UTF-8.
    #[serde(with = "bytes_in_base64")]
    Base64(Bytes),
}

/// A piece of a response: an event, or a whole document.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(crate) struct RecordedFrame {
    /// The arrival in microseconds after the request.
    pub(crate) at_us: u64,
    /// The bytes, which are UTF-8 in every API.
    pub(crate) text: String,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum RecordingFileLine {
    ModelRecording(RecordingHeader),
    Call(Box<RecordedModelCall>),
    Request(Box<RecordedPathRequest>),
    End(RecordingFileEnd),
}

#[derive(Deserialize, Serialize)]
struct RecordingHeader {
    version: String,
    lane: String,
}

#[derive(Deserialize, Serialize)]
struct RecordingFileEnd {
    calls: usize,
    /// The number of requests that are no calls.
    #[serde(default, skip_serializing_if = "is_none")]
    requests: usize,
}

/// Whether there are no requests in addition to calls.
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde gives the reference"
)]
fn is_none(requests: &usize) -> bool {
    *requests == 0
}

/// Reads a status with which a response can be sent.
fn read_status<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u16, D::Error> {
    let status = u16::deserialize(deserializer)?;
    if (200..600).contains(&status) {
        Ok(status)
    } else {
        Err(D::Error::custom(format!(
            "{status} is no status of a response"
        )))
    }
}

/// Bytes that are written as text.
mod bytes_in_base64 {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use bytes::Bytes;
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        bytes: &Bytes,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(bytes))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Bytes, D::Error> {
        let text = String::deserialize(deserializer)?;
        match STANDARD.decode(text) {
            Ok(bytes) => Ok(Bytes::from(bytes)),
            Err(error) => Err(D::Error::custom(format!("a body is no base64: {error}"))),
        }
    }
}

impl ModelRecording {
    /// Reads a file, which messages call `shown`; `None` if there is none.
    ///
    /// # Errors
    /// The first thing in it that is wrong, with its line.
    pub fn read(files: &Files, path: &Path, shown: &str) -> Result<Option<Self>, ModelProblem> {
        match Self::text_of(files, path, shown)? {
            Some(text) => Ok(Some(Self::read_text(&text, shown)?)),
            None => Ok(None),
        }
    }

    /// Reads the text of a file, which messages call `shown`.
    ///
    /// # Errors
    /// The first thing in it that is wrong, with its line.
    pub(crate) fn read_text(text: &str, shown: &str) -> Result<Self, ModelProblem> {
        Self::parse(text).map_err(|(line, why)| unusable(format!("{shown}:{line}: {why}")))
    }

    /// The text of a file, which messages call `shown`; `None` if there is none.
    ///
    /// # Errors
    /// The reason why it cannot be read.
    pub(crate) fn text_of(
        files: &Files,
        path: &Path,
        shown: &str,
    ) -> Result<Option<String>, ModelProblem> {
        // The size is bounded, because a file of a repository may be of anybody's making.
        let mut text = String::new();
        let read = match files.open(path) {
            Ok(file) => file.take(MOST_BYTES + 1).read_to_string(&mut text),
            Err(error) => Err(error),
        };
        if let Err(error) = read {
            if error.kind() == io::ErrorKind::NotFound {
                return Ok(None);
            }
            return Err(unusable(format!(
                "the recording `{shown}` cannot be read: {}",
                reason(&error)
            )));
        }
        if text.len() as u64 > MOST_BYTES {
            let most = MOST_BYTES >> 20;
            let message = format!("the recording `{shown}` is larger than {most} MiB");
            return Err(unusable(message));
        }
        Ok(Some(text))
    }

    /// Reads the lines of a file.
    ///
    /// # Errors
    /// The number of a line, from 1, and what is wrong with it.
    fn parse(text: &str) -> Result<Self, (usize, String)> {
        let mut recording = Self::default();
        let mut end = None;
        let mut count = 0;
        for (number, line) in (1..).zip(text.lines()) {
            count = number;
            if number == 1 {
                recording.lane = header(line).map_err(|why| (1, why))?.lane;
                continue;
            }
            if end.is_some() {
                return Err((number, "the recording goes on after its end".to_owned()));
            }
            let line = serde_json::from_str(line);
            match line.map_err(|error| (number, no_line(&error)))? {
                RecordingFileLine::Call(call) => recording.calls.push(*call),
                RecordingFileLine::Request(request) => recording.requests.push(*request),
                RecordingFileLine::End(written) => end = Some(written),
                RecordingFileLine::ModelRecording(_) => {
                    return Err((number, "a recording begins in another one".to_owned()));
                }
            }
        }
        match end {
            Some(end) if end.calls != recording.calls.len() => {
                let found = recording.calls.len();
                let calls = end.calls;
                let why = format!("the recording has {found} calls, and its end says {calls}");
                Err((count, why))
            }
            Some(end) if end.requests != recording.requests.len() => {
                let found = recording.requests.len();
                let requests = end.requests;
                let why = format!(
                    "the recording has {found} requests that are no calls, and its end says {requests}"
                );
                Err((count, why))
            }
            Some(_) => Ok(recording),
            None => {
                let why = "the recording has no end: something has cut it".to_owned();
                Err((count.max(1), why))
            }
        }
    }

    /// The text of the file.
    fn text(&self) -> String {
        let mut text = String::new();
        let header = RecordingHeader {
            version: VERSION.to_owned(),
            lane: self.lane.clone(),
        };
        add_line(&RecordingFileLine::ModelRecording(header), &mut text);
        for call in &self.calls {
            add_line(&RecordingFileLine::Call(Box::new(call.clone())), &mut text);
        }
        for request in &self.requests {
            let line = RecordingFileLine::Request(Box::new(request.clone()));
            add_line(&line, &mut text);
        }
        let end = RecordingFileEnd {
            calls: self.calls.len(),
            requests: self.requests.len(),
        };
        add_line(&RecordingFileLine::End(end), &mut text);
        text
    }

    /// Replaces the file, whose directories are created.
    ///
    /// # Errors
    /// If it cannot be written; then a file that was there is unchanged.
    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        write_file(path, self.text().as_bytes())
    }
}

/// Reads the header. Its version comes first: another format may have another header.
fn header(line: &str) -> Result<RecordingHeader, String> {
    let value: Value = serde_json::from_str(line).map_err(|error| no_line(&error))?;
    let Some(header) = value.get("model_recording") else {
        return Err("this is not a recording of calls to a model".to_owned());
    };
    let version = header["version"].as_str().unwrap_or_default();
    if version.split('.').next() != VERSION.split('.').next() {
        let version = escape::line(version).into_owned();
        return Err(format!(
            "the recording has the version `{version}`, and this release reads {VERSION}"
        ));
    }
    serde_json::from_value(header.clone()).map_err(|error| no_line(&error))
}

fn add_line(line: &RecordingFileLine, text: &mut String) {
    // Texts, numbers and JSON that was read before: nothing that cannot be written.
    let line = serde_json::to_string(line).unwrap_or_default();
    text.push_str(&escape::json(&line));
    text.push('\n');
}

fn no_line(error: &serde_json::Error) -> String {
    let error = error.to_string();
    // The position counts within the line.
    let why = error.split(" at line ").next().unwrap_or_default();
    format!("this is no line of a recording: {}", escape::line(why))
}

fn unusable(message: String) -> ModelProblem {
    ModelProblem::new(ModelProblemKind::Recording, message)
}

#[cfg(test)]
pub(crate) mod tests {
    use ananke_trace::trace::{PromptMessage, Usage};

    use super::*;

    /// A recorded call in which the user says this.
    pub(crate) fn call(text: &str) -> RecordedModelCall {
        RecordedModelCall {
            path: "/chat/completions".to_owned(),
            api_version: None,
            is_streamed: false,
            request: ModelRequest {
                model: "m".to_owned(),
                messages: vec![PromptMessage::User {
                    text: text.to_owned(),
                    files: Vec::new(),
                }],
                ..ModelRequest::default()
            },
            answer: ModelAnswer {
                text: format!("re: {text}"),
                usage: Some(Usage::reported(Some(3), Some(1), None).with_cached(Some(2))),
                ..ModelAnswer::default()
            },
            at_us: 0,
            took_us: 1000,
            content_type: "application/json".to_owned(),
            frames: vec![RecordedFrame {
                at_us: 1000,
                text: "{\"id\":\"chatcmpl-1\"}".to_owned(),
            }],
        }
    }

    fn recording() -> ModelRecording {
        ModelRecording {
            lane: "default".to_owned(),
            calls: vec![call("a"), call("b\u{202e}\u{1b}")],
            requests: Vec::new(),
        }
    }

    /// A recorded request for this path, whose response is its body in another form.
    pub(crate) fn path_request(path: &str, body: &str) -> RecordedPathRequest {
        RecordedPathRequest {
            method: "POST".to_owned(),
            path: path.to_owned(),
            body: RecordedPathBody::Text(body.to_owned()),
            status: 200,
            content_type: "application/json".to_owned(),
            response: RecordedPathBody::Text(format!("re: {body}")),
            at_us: 0,
            took_us: 1000,
        }
    }

    #[test]
    fn a_file_is_read_as_it_was_written() {
        let text = recording().text();
        assert!(!text.contains('\u{202e}'));
        assert_eq!(ModelRecording::parse(&text), Ok(recording()));
    }

    #[test]
    fn requests_that_are_no_calls_have_lines_of_their_own() {
        let mut binary = path_request("/v1/files", "");
        binary.response = RecordedPathBody::Base64(Bytes::from_static(b"\xff\x00"));
        let recording = ModelRecording {
            requests: vec![path_request("/v1/embeddings", "{}"), binary],
            ..recording()
        };
        let text = recording.text();
        assert_eq!(ModelRecording::parse(&text), Ok(recording));
        for (written, other, line, why) in [
            ("\"/wA=\"", "\"/w\"", 5, "a body is no base64"),
            ("\"status\":200", "\"status\":7", 4, "7 is no status"),
            (
                "\"requests\":2",
                "\"requests\":3",
                6,
                "2 requests that are no calls",
            ),
        ] {
            assert!(text.contains(written), "{text}");
            let (found, message) =
                ModelRecording::parse(&text.replace(written, other)).unwrap_err();
            assert_eq!(found, line, "{message}");
            assert!(message.contains(why), "{message}");
        }
    }

    #[test]
    fn what_is_wrong_has_its_line() {
        let text = recording().text();
        let lines: Vec<&str> = text.lines().collect();
        let other = lines[0].replace("1.0", "2.0");
        for (lines, line, why) in [
            (vec![], 1, "no end"),
            (vec!["{}"], 1, "not a recording"),
            (vec![&*other, lines[1]], 1, "version `2.0`"),
            (vec!["[7"], 1, "no line of a recording"),
            (vec![lines[0], lines[1]], 2, "no end"),
            (vec![lines[0], &lines[1][..90]], 2, "no line of a recording"),
            (vec![lines[0], lines[1], lines[3]], 3, "1 calls"),
            (
                vec![lines[0], lines[3], lines[1]],
                3,
                "goes on after its end",
            ),
            (vec![lines[0], lines[0]], 2, "begins in another"),
            (vec![lines[0], "{\"call\":{}}"], 2, "missing field"),
        ] {
            let (found, message) = ModelRecording::parse(&lines.join("\n")).unwrap_err();
            assert_eq!(found, line, "{message}");
            assert!(message.contains(why), "{message}");
        }
        for end in 0..text.len() {
            if let Some(cut) = text.get(..end)
                && cut != text.trim_end()
            {
                ModelRecording::parse(cut).unwrap_err();
            }
        }
        let deep = format!("{}\n{}", lines[0], "[".repeat(100_000));
        ModelRecording::parse(&deep).unwrap_err();
    }
}
