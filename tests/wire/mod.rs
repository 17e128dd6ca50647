//! The wire: server-sent events, HTTP, and AG-UI from bytes to changes.

mod a2a;
mod bodies;
pub(crate) mod captures;
mod certificates;
mod chat_ends;
mod command;
mod connections;
mod conversations;
mod encodings;
mod hostile;
mod observed_tools;
mod oddities;
mod openai;
mod origins;
mod pace;
mod parts;
mod progress;
mod scripted;
mod sequence;
mod shared_ids;
mod silent_passes;
mod sse;
mod stamps;
mod table;
mod turns;
mod valid_conversation;
mod verdicts;
