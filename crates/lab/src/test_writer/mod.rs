//! The one writer of tests from conversations, for `record`, its proxy, traces, `freeze` and walks that failed.
//!
//! Flows in: the [`WrittenConversation`]: the test that a conversation is of, the inputs that were sent, what the agent did, and
//! what was chosen on the command line. Flows out: a [`WrittenTest`], whose file has what the agent said as comments.
//! `source_test` reads a test as it is written; `recorded_turns` writes an input as a turn, `text_with_references` its texts;
//! `checkpoint_rules` adds the rules of a checkpoint to those of a turn. `conversation_rules` proposes rules for a test that
//! has none, where `argument_rule` says which arguments vary.
//!
//! **Invariant:** the same conversation gives the same text, however it was held; nothing that an agent said is a rule.

mod argument_rule;
mod checkpoint_rules;
mod conversation_rules;
mod recorded_turns;
mod source_test;
mod text_with_references;
mod written_conversation;
mod written_test;

pub(crate) use recorded_turns::written_turn;
pub(crate) use source_test::SourceTest;
pub(crate) use text_with_references::node_with_references;
pub(crate) use written_conversation::{
    WrittenConversation, WrittenRules, blank_test, chosen_target,
};
pub(crate) use written_test::{WrittenTest, file_text, write_together};
