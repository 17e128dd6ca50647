//! `ananke mock`: what an agent does as bytes of a protocol, and servers of scripted and of recorded agents.

mod aisdk;
mod encoding;
mod faults;
mod messages;
mod over_the_wire;
mod recorded;
pub(crate) mod server;
