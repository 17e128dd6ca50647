//! The worth of a green test: a recorded conversation in, and which changes to it no rule notices out.
//!
//! [`RecordedConversation::replay`] replays a recording once, with the rules of its test. [`RecordedConversation::mutations`]
//! lists changes to its tape (`calls`, `arguments`, `results`, `texts`, `streams`), and [`RecordedConversation::evaluate`]
//! says the fate of one: a [`Fate`](ananke_trace::outcome::mutation::Fate). No agent is needed: changes are made to what the recording decodes to, so that every
//! protocol has all of them. A `suggestion` is a rule that is written into the text of the test (`rule_insertion`), and kept
//! only if the recording passes with it and the change does not. A report over many tests is a [`MutationReport`](ananke_trace::outcome::mutation::MutationReport).
//!
//! **Invariant:** the same recording and rules give the same mutations and fates; the rules see nothing but the changed
//! conversation, and a rule kills a change only if its finding names what was changed.

mod arguments;
mod calls;
mod change_site;
#[expect(clippy::module_inception, reason = "the type that the folder is about")]
mod mutation;
mod mutation_run;
mod noticed_by_rules;
mod other_value;
mod recorded_conversation;
mod results;
mod rule_insertion;
mod rule_text;
mod sequence_rule;
mod streams;
mod suggestion;
mod tape_index;
mod taped_mutants;
mod texts;

pub use mutation::Mutation;
pub use mutation_run::{MutationRun, Suggestions};
pub use noticed_by_rules::NoticedByRules;
pub use recorded_conversation::RecordedConversation;
