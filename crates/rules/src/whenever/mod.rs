//! `whenever`: what must always, or must never, come before or after something.
//!
//! Written triggers and steps flow in; each entry is a rule that fails at once, or one that is decided at the end of its
//! scope, or both. **Invariant:** every moment costs at most the steps of the rule, however many triggers wait.

mod beginning_queue;
mod finding;
mod happening;
mod key;
mod memory;
mod prohibition;
mod related_steps;
mod requirement;
mod tied_step;
pub(crate) mod whenever;
