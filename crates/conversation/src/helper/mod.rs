//! Helper agents: targets that a test asks for something apart from the agent under test: judges, simulators, generators and
//! reporters.
//!
//! A [`HelperQuestion`] goes to a target of any protocol as the only message of a thread of its own: one JSON object, in a
//! conversation without rules. The answer is read from its text: a verdict (`judge_answer`), what the user says next
//! (`simulator_answer`), test cases (`generated_cases`) or a report (`written_report`). The prompts of bare models are files
//! in `prompts/`, and in the documents.
//!
//! **Invariant:** an unclear answer is an error; a helper has a lane of its own, in which it is recorded and replayed, and no
//! rule looks at what it says.

mod answer_text;
mod ask;
mod final_object;
mod generated_cases;
mod generator;
mod helper_role;
mod json_values;
mod judge_answer;
mod quotable_text;
mod simulator_answer;
mod verdict_claims;
mod written_report;

pub use ask::{Helper, HelperQuestion};
pub use generated_cases::{MOST_CASES, cases_of, read_generated_cases};
pub use generator::{Generator, GeneratorKind};
pub use helper_role::HelperRole;
pub use judge_answer::read_judge_answer;
pub use quotable_text::QuotableText;
pub use simulator_answer::{SimulatorAnswer, read_simulator_answer, read_simulator_value};
pub use written_report::read_report;
