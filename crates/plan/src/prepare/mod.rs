//! A test made ready for its run.
//!
//! A [`Preparation`] gives out the hooks of the test one by one and fills all the rest ([`Prepared`]). A turn that needs what an
//! earlier one gives is filled when it comes ([`LateTurn`]).
//!
//! **Invariant:** a value is filled once, and what is secret in it is known before it leaves.

mod late_turn;
mod preparation;
mod prepared;
mod prepared_helper;
mod thread;

pub use late_turn::LateTurn;
pub use preparation::Preparation;
pub(crate) use prepared::CASE_TIMEOUT;
pub use prepared::Prepared;
pub use prepared_helper::PreparedHelper;
