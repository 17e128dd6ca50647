//! The facts that rules rest on, and what a record of a conversation lacks of them.
//!
//! What nothing understood is `unread`, with its `possible_facts`; `known_keys` has the tables that say what a reader understands,
//! and the `ledger` keeps what is unread.
//!
//! **Invariant:** what was not understood may be any fact that its place can hold.

mod fact;
mod known_keys;
mod ledger;
mod possible_facts;
mod unread;

pub use fact::{Fact, Facts};
pub use known_keys::{JsonKinds, KnownKey, unread_items, unread_keys};
pub(crate) use ledger::Entered;
pub use ledger::{KnownName, Ledger, UnreadKind};
pub use possible_facts::{
    UnreadCall, call_ids, facts_of_item, facts_of_key, is_arguments_key, is_call, is_name_key,
    may_hold_call, written_arguments,
};
pub(crate) use unread::owned;
pub use unread::{Unread, UnreadForm, UnreadViolation};
