//! The options about what is sent to an agent, and on whose behalf.

use clap::Args;

/// What is sent to an agent, and on whose behalf.
#[derive(Clone, Debug, Args)]
pub(crate) struct InputOptions {
    /// A message to send, a case file, `-` for cases on standard input, or a generator of cases: `agents:NAME?count=5` or
    /// `scripts:NAME`. The answer to a message is printed on standard output
    #[arg(short, long, value_name = "MESSAGE|FILE|GENERATOR", conflicts_with = "paths")]
    pub(crate) input: Option<String>,
}
