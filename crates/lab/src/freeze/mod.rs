//! Tests that are made from conversations: a static test with its recording.
//!
//! Flows in: a recording, and the test that it is of. Flows out: a [`FrozenTest`], which sends the same without a simulator
//! or a person, and its recording. A `trial` runs a test in this process, over a recording or not, and hands out its outcome
//! and its whole conversation; the `test_writer` writes that as a static test. The recording of a frozen test is a copy: the
//! test is replayed from the first recording, and what it uses is recorded again.
//!
//! **Invariant:** a test is made only if it was replayed with the same verdict; nothing is sent.

mod frozen_test;
mod trial;
mod verdicts;

pub use frozen_test::{FreezeRequest, FrozenTest, freeze};
pub(crate) use frozen_test::{given_variables, not_recorded};
pub(crate) use trial::planned_alone;
pub use trial::{HeldTest, planned, run_test};
pub(crate) use verdicts::failure;
