//! ananke: a test runner for tool-using AI agents.

pub mod assertion;
pub mod compare;
pub mod compile;
pub mod context;
pub mod diagnostic;
pub mod engine;
pub mod golden;
pub mod hook;
pub mod message;
pub mod model;
pub mod outcome;
pub mod plan;
pub mod process;
pub mod project;
pub mod recording;
pub mod redact;
pub mod report;
pub mod run;
pub mod schema;
pub mod server;
pub mod source;
pub mod target;
pub mod text;
pub mod trace;
pub mod variables;
