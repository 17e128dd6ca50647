//! Requests that are no calls to a model, such as those for embeddings, moderation and files: they are recorded and replayed as they
//! are. Flows in: requests for paths. Flows out: recorded responses. Each recorded request answers once.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;

use super::masked_call::masked_text;
use super::{LaneValues, NOT_RECORDED};
use crate::model_recording::{RecordedPathBody, RecordedPathRequest};
use crate::problem::{ModelProblem, ModelProblemKind};
use ananke_agents::{ServedFrame, ServedResponse};
use ananke_base::context::fingerprint;
use ananke_base::text::{escape, truncate};
use ananke_model::variables::masked_query;

/// The most characters of a path that a message shows.
const SHOWN_CHARS: usize = 160;

/// A request for a path that is no call to a model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathRequest<'r> {
    /// The provider whose client sends it.
    pub(crate) provider: &'static str,
    /// `POST` or another method.
    pub(crate) method: &'r str,
    /// The path and query without the lane.
    pub(crate) target: &'r str,
    /// The body as it came.
    pub(crate) body: &'r Bytes,
}

/// The recorded requests of a lane that are no calls.
#[derive(Debug, Default)]
pub(crate) struct PathRecordings {
    /// The requests that answer, each of them once.
    earlier: Vec<EarlierPathRequest>,
    /// The requests that are recorded, in the order in which they were asked.
    recorded: Vec<Option<RecordedPathRequest>>,
}

/// A request that was recorded earlier.
#[derive(Debug)]
struct EarlierPathRequest {
    request: RecordedPathRequest,
    body: ComparedBody,
    is_used: bool,
}

/// A body as it is compared: the order of keys and the whitespace of JSON do not count.
#[derive(Debug, PartialEq)]
enum ComparedBody {
    Json(Value),
    Other(RecordedPathBody),
}

/// A request as a recording has it, before its response is known.
#[derive(Clone, Debug)]
pub(crate) struct SoughtPathRequest {
    pub(crate) method: String,
    pub(crate) path: String,
    body: RecordedPathBody,
    /// Whether a key was in it.
    has_secret: bool,
}

impl SoughtPathRequest {
    /// The form of `asked` without the values and the secrets of this run.
    pub(crate) fn of(asked: &PathRequest<'_>, values: &LaneValues, secrets: &[String]) -> Self {
        let path = values.put_back_text(&masked_query(asked.target));
        let (path, in_path) = masked_text(&path, secrets);
        let (body, in_body) = match recorded_body(asked.body, secrets) {
            (RecordedPathBody::Text(text), count) => {
                (RecordedPathBody::Text(values.put_back_json(&text)), count)
            }
            binary => binary,
        };
        Self {
            method: asked.method.to_owned(),
            path,
            body,
            has_secret: in_path + in_body > 0,
        }
    }

    /// The method and path as messages show them.
    pub(crate) fn shown(&self) -> String {
        shown(&self.method, &self.path)
    }

    /// A fingerprint of the whole request.
    pub(crate) fn fingerprint(&self) -> String {
        let text = format!("{} {}\n{:?}", self.method, self.path, self.body);
        fingerprint(text.as_bytes())
    }

    /// The same as a recorded request with this response, and whether a key was in one of them.
    pub(crate) fn answered(
        &self,
        response: &ServedResponse,
        secrets: &[String],
    ) -> (RecordedPathRequest, bool) {
        let mut bytes = Vec::new();
        for frame in &response.frames {
            bytes.extend_from_slice(&frame.bytes);
        }
        let (body, in_response) = recorded_body(&Bytes::from(bytes), secrets);
        let request = RecordedPathRequest {
            method: self.method.clone(),
            path: self.path.clone(),
            body: self.body.clone(),
            status: response.status,
            content_type: response.content_type().to_owned(),
            response: body,
            at_us: 0,
            took_us: 0,
        };
        (request, self.has_secret || in_response > 0)
    }
}

impl PathRecordings {
    /// Recorded requests, which answer those that are equal to them.
    pub(crate) fn new(requests: Vec<RecordedPathRequest>) -> Self {
        let mut recordings = Self::default();
        for request in requests {
            recordings.earlier.push(EarlierPathRequest {
                body: compared(&request.body),
                request,
                is_used: false,
            });
        }
        recordings
    }

    /// The first unused recorded request that is equal to this one, with its number from 1. It is used then.
    pub(crate) fn take(
        &mut self,
        sought: &SoughtPathRequest,
    ) -> Option<(usize, RecordedPathRequest)> {
        let body = compared(&sought.body);
        for (number, earlier) in (1..).zip(&mut self.earlier) {
            if !earlier.is_used && earlier.is_for(sought) && earlier.body == body {
                earlier.is_used = true;
                return Some((number, earlier.request.clone()));
            }
        }
        None
    }

    /// A place for a request that is recorded: they are kept in the order in which they are asked.
    pub(crate) fn reserve(&mut self, request: Option<RecordedPathRequest>) -> usize {
        self.recorded.push(request);
        self.recorded.len() - 1
    }

    /// Keeps a request with its response in its place. One that comes after the end of the lane is dropped.
    pub(crate) fn keep(&mut self, place: usize, request: RecordedPathRequest) {
        if let Some(kept) = self.recorded.get_mut(place) {
            *kept = Some(request);
        }
    }

    /// The requests that were recorded since the beginning.
    pub(crate) fn take_recorded(&mut self) -> Vec<RecordedPathRequest> {
        std::mem::take(&mut self.recorded)
            .into_iter()
            .flatten()
            .collect()
    }

    /// The number of requests that may answer.
    pub(crate) fn len(&self) -> usize {
        self.earlier.len()
    }

    /// Whether a recorded request was asked for.
    pub(crate) fn is_any_used(&self) -> bool {
        self.earlier.iter().any(|earlier| earlier.is_used)
    }

    /// A line about each recorded request that was not asked for.
    pub(crate) fn unused(&self) -> Vec<String> {
        let mut unused = Vec::new();
        for (number, earlier) in (1..).zip(&self.earlier) {
            if !earlier.is_used {
                let request = shown(&earlier.request.method, &earlier.request.path);
                unused.push(format!("request {number}: {request}"));
            }
        }
        unused
    }

    /// The error of a request that no unused recorded one is equal to.
    pub(crate) fn miss(&self, sought: &SoughtPathRequest) -> ModelProblem {
        let body = compared(&sought.body);
        let mut of_path = 0;
        let mut equal = 0;
        for earlier in &self.earlier {
            if earlier.is_for(sought) {
                of_path += 1;
                equal += usize::from(earlier.body == body);
            }
        }
        // The nearest request says most: one that is equal, or else one of the same path.
        let why = if equal == 1 {
            "the same request is recorded once, and was answered".to_owned()
        } else if equal > 1 {
            format!("the same request is recorded {equal} times, and was answered each time")
        } else if of_path == 1 {
            "1 request with this method and path is recorded, and its body differs".to_owned()
        } else if of_path > 1 {
            format!(
                "{of_path} requests with this method and path are recorded, and their bodies differ"
            )
        } else {
            "no request with this method and path is recorded".to_owned()
        };
        let message = format!("{NOT_RECORDED}: {why}");
        ModelProblem::new(ModelProblemKind::Miss, message)
    }
}

impl EarlierPathRequest {
    fn is_for(&self, sought: &SoughtPathRequest) -> bool {
        self.request.method == sought.method && self.request.path == sought.path
    }
}

/// The recorded response. It takes this time, if it is sent as slowly as it was recorded.
pub(crate) fn response_of_path(
    request: &RecordedPathRequest,
    takes: Option<Duration>,
) -> Arc<ServedResponse> {
    let bytes = match &request.response {
        RecordedPathBody::Text(text) => Bytes::from(text.clone()),
        RecordedPathBody::Base64(bytes) => bytes.clone(),
    };
    let frame = ServedFrame {
        after: takes.unwrap_or_default(),
        bytes,
    };
    let mut response = ServedResponse::new(request.status, &request.content_type, vec![frame]);
    if request.content_type.is_empty() {
        response.headers.clear();
    }
    Arc::new(response)
}

/// The body as a recording has it, and the number of secrets that are masked in it.
fn recorded_body(bytes: &Bytes, secrets: &[String]) -> (RecordedPathBody, usize) {
    let text = String::from_utf8_lossy(bytes);
    let (masked, count) = masked_text(&text, secrets);
    // Other bytes around a key are lost, because a recording without the key is worth more.
    if count > 0 || std::str::from_utf8(bytes).is_ok() {
        (RecordedPathBody::Text(masked), count)
    } else {
        (RecordedPathBody::Base64(bytes.clone()), 0)
    }
}

fn compared(body: &RecordedPathBody) -> ComparedBody {
    if let RecordedPathBody::Text(text) = body
        && let Ok(value) = serde_json::from_str(text)
    {
        return ComparedBody::Json(value);
    }
    ComparedBody::Other(body.clone())
}

fn shown(method: &str, path: &str) -> String {
    let text = format!("{method} {path}");
    escape::line(&truncate::chars(&text, SHOWN_CHARS)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_stays_in_a_body() {
        let key = "sk-proj-abcdefgh12345678";
        let secrets = ["my-own-secret".to_owned()];
        let mut binary = vec![0xff, b' '];
        binary.extend_from_slice(key.as_bytes());
        for bytes in [
            format!("{{\"a\":\"one\\n{key}\"}}").into_bytes(),
            format!("as it is: {key}").into_bytes(),
            b"it is my-own-secret".to_vec(),
            binary,
        ] {
            match recorded_body(&Bytes::from(bytes), &secrets) {
                (RecordedPathBody::Text(text), 1) => {
                    assert!(text.contains("***"), "{text}");
                    assert!(
                        !text.contains("abcdefgh") && !text.contains("own"),
                        "{text}"
                    );
                }
                other => panic!("{other:?}"),
            }
        }
        let bytes = Bytes::from_static(b"\xff\x00");
        let expected = (RecordedPathBody::Base64(bytes.clone()), 0);
        assert_eq!(recorded_body(&bytes, &secrets), expected);
    }
}
