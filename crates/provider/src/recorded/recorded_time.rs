//! The time of the recorded calls of one attempt. The lanes of all its models share it, because calls to several models may overlap.

use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use crate::model_recording::RecordedFrame;
use ananke_agents::ServedResponse;
use ananke_base::context::{At, lock};

/// The time of the recorded calls of one attempt.
#[derive(Debug, Default)]
pub struct RecordedTime(Mutex<TimeSoFar>);

#[derive(Debug, Default)]
struct TimeSoFar {
    /// The moment of the first request that is recorded.
    first: Option<At>,
    /// The time of recorded waiting, as spans in microseconds that do not overlap.
    spans: Vec<(u64, u64)>,
}

impl RecordedTime {
    /// The microseconds from the first request that is recorded to one at this moment.
    pub(crate) fn since_first(&self, at: At) -> u64 {
        let first = *self.state().first.get_or_insert(at);
        micros(at.since(first))
    }

    /// The waiting that the span of a recorded call adds to those so far: calls that overlapped waited together.
    pub(crate) fn pass(&self, start: u64, took: u64) -> Duration {
        let mut state = self.state();
        let mut union = vec![(start, start.saturating_add(took))];
        let mut before = 0;
        for (start, end) in std::mem::take(&mut state.spans) {
            before += end - start;
            union.push((start, end));
        }
        // Spans that touch become one, so that none is counted twice.
        union.sort_unstable();
        let mut after = 0;
        for (start, end) in union {
            match state.spans.last_mut() {
                Some((_, last)) if start <= *last => *last = end.max(*last),
                _ => state.spans.push((start, end)),
            }
        }
        for (start, end) in &state.spans {
            after += end - start;
        }
        Duration::from_micros(after - before)
    }

    fn state(&self) -> MutexGuard<'_, TimeSoFar> {
        lock(&self.0)
    }
}

/// The microseconds of a duration, or the most that can be written.
pub(crate) fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

/// The frames of a response as texts; none if something in them is no text.
pub(crate) fn frames_of(response: &ServedResponse) -> Vec<RecordedFrame> {
    let mut frames = Vec::new();
    for frame in &response.frames {
        let Ok(text) = String::from_utf8(frame.bytes.to_vec()) else {
            return Vec::new();
        };
        frames.push(RecordedFrame {
            at_us: micros(frame.after),
            text,
        });
    }
    frames
}
