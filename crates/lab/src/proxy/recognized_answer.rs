//! The responses that passed, for the requests of a conversation that is held again with a target that describes them.

use std::collections::VecDeque;

use bytes::Bytes;

use super::CapturedRequest;
use super::captured_turns::CapturedAnswer;
use ananke_agents::{
    HttpRequest, PassedRequest, PassingRequests, RecognizedRequest, RequestStep, ServedResponse,
};

/// The shortest thread that is replaced in a response: a shorter one may be part of anything.
const SHORTEST_THREAD: usize = 8;

/// The response to the request of the client that is the same as `request`, with the thread of the test.
///
/// # Errors
/// If the client sent no such request in this turn.
pub(super) fn recognized_answer(
    passing: &dyn PassingRequests,
    request: &HttpRequest,
    left: &mut VecDeque<CapturedAnswer>,
) -> Result<ServedResponse, String> {
    let sent = PassedRequest::from(request);
    let now = passing.recognize(&sent).map_err(|_why| not_sent(request))?;
    // The client may have sent other requests in between, such as one more to a job that is done: they are passed over. Those of the
    // next turn stay, so that the search ends at the next main request.
    let mut found = None;
    for (place, captured) in left.iter().enumerate() {
        let CapturedRequest::OfTarget(described) = &captured.request else {
            continue;
        };
        if described.step == now.step {
            found = Some((place, described.thread.clone()));
            break;
        }
        if described.step == RequestStep::Main {
            break;
        }
    }
    let Some((place, thread)) = found else {
        return Err(not_sent(request));
    };
    left.drain(..place);
    let Some(CapturedAnswer { response, .. }) = left.pop_front() else {
        return Err(not_sent(request));
    };
    Ok(with_thread(response, thread.as_deref(), &now))
}

/// The reason that there is no response to a request.
fn not_sent(request: &HttpRequest) -> String {
    let path = request.url.path();
    format!("the client of the proxy sent no request to {path} that this test sends")
}

/// A response in which the thread of the client is that of the test.
fn with_thread(
    mut response: ServedResponse,
    thread: Option<&str>,
    now: &RecognizedRequest,
) -> ServedResponse {
    let Some(from) = thread else {
        return response;
    };
    let Some(to) = now.thread.as_deref() else {
        return response;
    };
    if from.len() < SHORTEST_THREAD || from == to {
        return response;
    }
    for frame in &mut response.frames {
        // What is not a text, or not a whole one, has no thread that a mapping reads.
        if let Ok(text) = std::str::from_utf8(&frame.bytes)
            && text.contains(from)
        {
            frame.bytes = Bytes::from(text.replace(from, to));
        }
    }
    for (_, value) in &mut response.headers {
        *value = value.replace(from, to);
    }
    response
}
