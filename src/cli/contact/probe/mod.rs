//! Agents of which only a URL or a program is known: `init`, `tools` and `audit` ask what they speak.
//!
//! `place_options` is what people say, `probe` sends the GETs of all candidates side by side and tries the candidates that are
//! left, one after the other, and `found` is the target that answered, as a config has it. `proposed` asks for a target for an API
//! that speaks no known protocol. **Invariant:** what is sent over HTTP
//! is printed before it is sent, nothing is written, and nothing is called.

mod found;
mod named_agent;
mod place_options;
mod probe;
mod proposed;

pub(crate) use found::FoundAgent;
pub(crate) use named_agent::NamedAgent;
pub(crate) use place_options::PlaceOptions;
pub(crate) use probe::probe;
pub(crate) use proposed::ProposalWishes;
