//! The transcript of a test for people: its turns in order, what was said and called in each, and what is wrong with it.

mod attempts;
mod event_marks;
mod excerpt;
mod findings;
mod runs;
mod style;
mod writer;

pub(super) use attempts::attempts;
pub(super) use style::{Headline, TranscriptScope, TranscriptStyle};
pub(super) use writer::{headline, transcript};
