//! A response that was seen, taken apart into events without a mapping.

use super::super::event::{self, JsonLike, ResponseEvent};
use super::super::framing::BodyFraming;
use super::super::modes::StreamForm;
use ananke_agents::Limits;
use ananke_agents::http::Framing as _;

/// The body of a response, and what the user said before it.
pub(super) struct SeenResponse {
    pub(super) input: String,
    pub(super) body: Vec<u8>,
}

impl SeenResponse {
    /// The form of the response, and its events.
    ///
    /// # Errors
    /// The reason why it is none that a mapping can describe.
    pub(super) fn events(&self) -> Result<(StreamForm, Vec<ResponseEvent>), String> {
        let start = String::from_utf8_lossy(&self.body);
        let start = start.trim_start_matches('\u{feff}').trim();
        if start.is_empty() {
            return Err("the response is empty".to_owned());
        }
        if start.starts_with('<') {
            return Err("the response is a web page or XML".to_owned());
        }
        let (form, mut framing) = self.framed(StreamForm::Auto);
        if let Ok(events) = read_all(form, &mut framing)
            && !events.is_empty()
        {
            return Ok((form, events));
        }
        // These two are never found by the first bytes alone, since any text may begin like them: the whole body says it.
        let (_, mut framing) = self.framed(StreamForm::Prefixed);
        if let Ok(events) = read_all(StreamForm::Prefixed, &mut framing)
            && !events.is_empty()
        {
            return Ok((StreamForm::Prefixed, events));
        }
        if start.starts_with(['{', '[']) {
            return Err("the response begins like JSON and is none".to_owned());
        }
        let events = event::read(StreamForm::Text, &self.body, JsonLike::Taken)?;
        Ok((StreamForm::Text, events))
    }

    /// The bytes of the events, and the form that they turned out to have.
    fn framed(&self, form: StreamForm) -> (StreamForm, Vec<Vec<u8>>) {
        let (mut framing, known) = BodyFraming::new(form, Limits::MAX_EVENT_BYTES);
        let mut events = Vec::new();
        let mut rest = self.body.as_slice();
        while let Ok(Some(event)) = framing.next_event(&mut rest) {
            events.push(event.to_vec());
        }
        if let Some((event, true)) = framing.finish() {
            events.push(event.to_vec());
        }
        (known.get(), events)
    }
}

fn read_all(form: StreamForm, framed: &mut Vec<Vec<u8>>) -> Result<Vec<ResponseEvent>, String> {
    let mut events = Vec::new();
    for bytes in framed.drain(..) {
        events.extend(event::read(form, &bytes, JsonLike::Taken)?);
    }
    Ok(events)
}
