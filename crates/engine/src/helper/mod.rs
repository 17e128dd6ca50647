//! Helper agents: targets that a test asks for something, such as a verdict, apart from the agent under test.
//!
//! A [`HelperQuestion`] goes to a target of any protocol as the only message of a thread of its own, and the answer is
//! read from its text. A helper has a lane of its own, so that it is recorded and replayed apart from the agent.

mod answer_object;
mod answer_text;
mod ask;
mod final_object;
mod generated_cases;
mod generator;
mod helper_role;
mod json_values;
mod judge_answer;
mod question;
mod quotable_text;
mod simulator_answer;
mod verdict_claims;
mod written_report;

pub use ask::Helper;
pub use generated_cases::{MOST_CASES, cases_of, read_generated_cases};
pub use generator::{Generator, GeneratorKind};
pub use helper_role::HelperRole;
pub(crate) use judge_answer::read_judge_answer;
pub use question::HelperQuestion;
pub(crate) use quotable_text::QuotableText;
pub(crate) use simulator_answer::{SimulatorAnswer, read_simulator_answer, read_simulator_value};
pub use written_report::read_report;
