//! Helper agents: targets that a test asks for something, such as a verdict, apart from the agent under test.
//!
//! A [`HelperQuestion`] goes to a target of any protocol as the only message of a thread of its own, and the answer is
//! read from its text. A helper has a lane of its own, so that it is recorded and replayed apart from the agent.

mod ask;
mod helper_role;
mod json_values;
mod judge_answer;
mod question;

pub use ask::Helper;
pub use helper_role::HelperRole;
pub use judge_answer::read_judge_answer;
pub use question::HelperQuestion;
