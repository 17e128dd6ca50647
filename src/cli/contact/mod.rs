//! Everything that a command talks to: agents, the servers of a project, and the person at the terminal.
//!
//! `services` are up for as long as anything is asked. `probe` finds out what an agent speaks of which only a URL or a program is
//! known.
//!
//! **Invariant:** it knows no report and no command.

mod agent_project;
mod line_reading;
mod probe;
pub(crate) mod services;
mod terminal_person;

pub(crate) use agent_project::{AgentProject, AgentTools, ServerNotes};
pub(crate) use line_reading::{LineRead, LineReading, LineSource, NOT_UTF_8};
pub(crate) use probe::{FoundAgent, NamedAgent, PlaceOptions, ProposalWishes, probe};
pub(crate) use services::{Services, is_live};
pub(crate) use terminal_person::TerminalPerson;
