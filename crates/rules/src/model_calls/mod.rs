//! Rules about the requests of an agent to its model.
//!
//! `counted` says which requests a rule looks at, and names them; `each_request` watches them one by one. What the messages contain is
//! `prompt`, which tools are offered `offered`, the parameters `params`, and the number of calls `calls`. `limit` has every number
//! that must not be exceeded.
//!
//! **Invariant:** a request whose contents are not kept violates nothing and satisfies nothing.

pub(crate) mod calls;
mod counted;
mod each_request;
pub(crate) mod limit;
pub(crate) mod offered;
pub(crate) mod params;
pub(crate) mod prompt;
