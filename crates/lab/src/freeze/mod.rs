//! Tests that are made from conversations: a static test with its recording.
//!
//! Flows in: a recording, and the test that it is of. Flows out: a [`FrozenTest`], which sends the same without a simulator
//! or a person, and its recording. A `trial` runs a test in this process, over a recording or not, and hands out its outcome
//! and its whole conversation; `frozen_tree` writes a conversation as a static test. The recording of a frozen test is a
//! copy: the test is replayed from the first recording, and what it uses is recorded again.
//!
//! **Invariant:** a test is made only if it was replayed with the same verdict; nothing is sent.

mod checkpoint_rules;
mod frozen_test;
mod frozen_tree;
mod recorded_turns;
mod source_test;
mod text_with_references;
mod trial;
mod verdicts;

pub(crate) use frozen_test::given_variables;
pub use frozen_test::{FreezeRequest, FrozenTest, freeze};
pub(crate) use frozen_tree::FrozenTree;
pub(crate) use recorded_turns::written_turn;
pub(crate) use source_test::SourceTest;
pub(crate) use text_with_references::{
    has_unreferenced_secret, node_with_references, text_with_references,
};
pub(crate) use trial::planned_alone;
pub use trial::{HeldTest, planned, run_test};
