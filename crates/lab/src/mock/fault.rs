//! The faults that occur on demand.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use bytes::Bytes;

use ananke_agents::{ServedEnd, ServedRequest, ServedResponse};

/// The default time of a delay.
const USUAL_DELAY: Duration = Duration::from_secs(1);

/// The message of the response of an agent that fails on demand.
const MESSAGE: &str = "the agent fails on demand";

/// Something that goes wrong with a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// At which event, counted from 1; without it, where it makes the most sense.
    pub event: Option<usize>,
}

/// The kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The event, and all that follows, comes so much later.
    Delay(Duration),
    /// The connection breaks after the event.
    Cut,
    /// The agent fails: an error comes instead of the event, or of the whole response.
    Error,
    /// The event is not what it should be: only its first half comes, and then the others.
    Malformed,
    /// The event comes after the one that follows it.
    Order,
}

impl Fault {
    /// The response with it. Without the `request` of a protocol, nothing says in the middle of a stream that the agent has failed,
    /// so that an error takes the place of the whole response.
    pub fn applied_to(
        self,
        mut response: ServedResponse,
        request: Option<&dyn ServedRequest>,
    ) -> ServedResponse {
        let last = response.frames.len().saturating_sub(1);
        let place = |usual: usize| self.event.map_or(usual, |event| event.saturating_sub(1));
        match self.kind {
            FaultKind::Delay(delay) => delay_from(&mut response, place(0), delay),
            FaultKind::Cut => {
                let middle = response.frames.len() / 2;
                response.frames.truncate(self.event.unwrap_or(middle));
                let after = response
                    .frames
                    .last()
                    .map_or(response.after, |frame| frame.after);
                response.end = ServedEnd::Breaks(after);
            }
            FaultKind::Error => match request {
                Some(request) if self.event.is_some() && response.is_event_stream() => {
                    let place = place(0).min(last);
                    response.frames.truncate(place + 1);
                    if let Some(frame) = response.frames.last_mut() {
                        frame.bytes = request.failure_frame(MESSAGE);
                    }
                    response.end = ServedEnd::Complete;
                }
                _ => {
                    let body = Bytes::from_static(b"{\"error\":\"the agent fails on demand\"}");
                    let frame = ananke_agents::ServedFrame {
                        after: response.after,
                        bytes: body,
                    };
                    return ServedResponse::new(500, "application/json", vec![frame]);
                }
            },
            FaultKind::Malformed => {
                if let Some(frame) = response.frames.get_mut(place(last / 2)) {
                    frame.bytes = first_half(&frame.bytes);
                }
            }
            FaultKind::Order => {
                let place = place(0);
                if place + 1 < response.frames.len() {
                    let (before, after) = response.frames.split_at_mut(place + 1);
                    std::mem::swap(&mut before[place].bytes, &mut after[0].bytes);
                }
            }
        }
        response
    }
}

/// Delays the event at a place, and all that follows.
fn delay_from(response: &mut ServedResponse, place: usize, delay: Duration) {
    let frames = response.frames.iter_mut().skip(place);
    frames.for_each(|frame| frame.after += delay);
    if place == 0 {
        response.after += delay;
    }
    if let ServedEnd::Breaks(after) = &mut response.end {
        *after += delay;
    }
}

/// The first half of an event; its end stays, so that it is one.
fn first_half(bytes: &Bytes) -> Bytes {
    let end = bytes
        .iter()
        .rev()
        .take_while(|byte| matches!(byte, b'\r' | b'\n'))
        .count();
    let (text, end) = bytes.split_at(bytes.len() - end);
    let mut half = text[..text.len().div_ceil(2)].to_vec();
    half.extend_from_slice(end);
    Bytes::from(half)
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            FaultKind::Delay(delay) => write!(formatter, "delay={}", delay.as_millis())?,
            FaultKind::Cut => formatter.write_str("cut")?,
            FaultKind::Error => formatter.write_str("error")?,
            FaultKind::Malformed => formatter.write_str("malformed")?,
            FaultKind::Order => formatter.write_str("order")?,
        }
        self.event
            .map_or(Ok(()), |event| write!(formatter, "@{event}"))
    }
}

impl FromStr for Fault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            "expected `delay`, `cut`, `error`, `malformed` or `order`, such as `cut@3` after the third event or \
             `delay=500` for 500 ms"
                .to_owned()
        };
        let (what, event) = match text.split_once('@') {
            Some((what, event)) => {
                let event = event
                    .parse::<usize>()
                    .ok()
                    .filter(|event| *event > 0)
                    .ok_or_else(wrong)?;
                (what, Some(event))
            }
            None => (text, None),
        };
        let kind = match what.split_once('=') {
            Some(("delay", ms)) => {
                FaultKind::Delay(Duration::from_millis(ms.parse().map_err(|_| wrong())?))
            }
            Some(_) => return Err(wrong()),
            None => match what {
                "delay" => FaultKind::Delay(USUAL_DELAY),
                "cut" => FaultKind::Cut,
                "error" => FaultKind::Error,
                "malformed" => FaultKind::Malformed,
                "order" => FaultKind::Order,
                _ => return Err(wrong()),
            },
        };
        Ok(Self { kind, event })
    }
}
