//! Frames of a body: cut where its events end, whatever the chunks of the network, so that a recording is readable.
//!
//! Flows in: the bytes as they come. Flows out: the same bytes, each event whole; what is not an event stream is one frame.

use bytes::Bytes;

use ananke_agents::sse;

/// Collects bytes until an event is complete.
pub(super) struct Frames {
    /// `None` if several events may be one frame.
    events: Option<sse::SseDecoder>,
    open: Vec<u8>,
}

/// The ends of events, however their lines end.
const ENDS: [&[u8]; 3] = [b"\n\n", b"\r\n\r\n", b"\r\r"];

impl Frames {
    pub(super) fn new() -> Self {
        Self {
            events: Some(sse::SseDecoder::new(usize::MAX)),
            open: Vec::new(),
        }
    }

    /// The same with as many whole events in one frame as came at once: to cut them apart takes longer than to write them.
    pub(super) fn of_several_events() -> Self {
        Self {
            events: None,
            open: Vec::new(),
        }
    }

    /// Hands on each event that `bytes` complete.
    pub(super) fn add(&mut self, bytes: &Bytes, mut hand_on: impl FnMut(Bytes)) {
        let Some(decoder) = &mut self.events else {
            // Most pieces end with an event, and are kept as they are.
            for end in ENDS {
                if self.open.is_empty() && bytes.ends_with(end) {
                    hand_on(bytes.clone());
                    return;
                }
            }
            // The end of an event may have come in two pieces.
            let seam = self.open.len().saturating_sub(3);
            self.open.extend_from_slice(bytes);
            let ends = ENDS.iter().filter_map(|end| {
                let at = memchr::memmem::rfind(&self.open[seam..], end)?;
                Some(seam + at + end.len())
            });
            if let Some(end) = ends.max() {
                let rest = self.open.split_off(end);
                hand_on(std::mem::replace(&mut self.open, rest).into());
            }
            return;
        };
        let mut rest = &bytes[..];
        loop {
            let before = rest;
            let is_whole = matches!(decoder.next_event(&mut rest), Ok(Some(_)));
            self.open
                .extend_from_slice(&before[..before.len() - rest.len()]);
            if !is_whole {
                // Nothing is larger than the limit; were it, the rest would be one frame.
                self.open.extend_from_slice(rest);
                return;
            }
            // The second half of a line end belongs to the event that it ends.
            if self.open.ends_with(b"\r")
                && let Some(after) = rest.strip_prefix(b"\n")
            {
                self.open.push(b'\n');
                decoder.next_event(&mut &b"\n"[..]).ok();
                rest = after;
            }
            hand_on(std::mem::take(&mut self.open).into());
        }
    }

    /// The rest after the last event that was complete.
    pub(super) fn rest(&mut self) -> Bytes {
        std::mem::take(&mut self.open).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(body: &str, chunk: usize) -> Vec<String> {
        let mut frames = Frames::new();
        let mut found = Vec::new();
        for chunk in body.as_bytes().chunks(chunk) {
            frames.add(&Bytes::copy_from_slice(chunk), |frame| found.push(frame));
        }
        let rest = frames.rest();
        if !rest.is_empty() {
            found.push(rest);
        }
        found
            .into_iter()
            .map(|frame| String::from_utf8(frame.into()).unwrap())
            .collect()
    }

    #[test]
    fn a_frame_is_an_event_whatever_the_chunks() {
        for (body, expected) in [
            ("data: 1\n\ndata: 2\n\n", vec!["data: 1\n\n", "data: 2\n\n"]),
            (
                ": ping\n\nevent: x\ndata: 1\n\nda",
                vec![": ping\n\nevent: x\ndata: 1\n\n", "da"],
            ),
            ("<html>\n\n<p>\n\n", vec!["<html>\n\n<p>\n\n"]),
            ("", vec![]),
        ] {
            for chunk in 1..=body.len().max(1) {
                assert_eq!(frames(body, chunk), expected, "{body:?} in {chunk}");
            }
        }
        assert_eq!(
            frames("data: 1\r\n\r\ndata: 2\r\n\r\n", 100),
            ["data: 1\r\n\r\n", "data: 2\r\n\r\n"],
            "where the line end is whole"
        );
    }

    #[test]
    fn no_byte_is_lost() {
        let body = "\u{feff}data: 1\r\n\r\ndata: 2\r\rdata\n\n: x\ndata: 3";
        for chunk in 1..=body.len() {
            assert_eq!(frames(body, chunk).concat(), body);
        }
    }
}
