//! The wire: server-sent events, HTTP, and AG-UI from bytes to changes.

mod bodies;
pub(crate) mod captures;
mod certificates;
mod connections;
mod conversations;
mod encodings;
mod hostile;
mod oddities;
mod parts;
mod scripted;
mod sequence;
mod shared_ids;
mod sse;
mod stamps;
mod table;
mod turns;
mod verdicts;
