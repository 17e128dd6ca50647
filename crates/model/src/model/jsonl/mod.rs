//! The cases of JSONL files, as the files of `yao agent test` have them.
//!
//! **Invariant:** a key that no case has is an error.

mod case_assertion;
mod case_line;
mod case_message;
mod case_simulation;

pub use case_assertion::{AssertionOptions, AssertionType, CaseAssertion, CaseAssertions};
pub use case_line::{CaseLine, CaseTurn};
pub use case_message::{
    CaseInput, CaseMessage, CasePart, CaseParts, PartAudio, PartFile, PartType, PartUrl,
};
pub use case_simulation::{CaseCheckpoint, CaseInteractive, CaseSimulator, CaseType};
