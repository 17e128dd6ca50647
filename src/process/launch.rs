//! What a program is started with.

use std::path::PathBuf;
use std::time::Duration;

use crate::context::Environment;

/// A program that is ready to be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// Its whole environment.
    pub environment: Environment,
    /// The folder it runs in.
    pub folder: PathBuf,
    /// The folder as shown in messages.
    pub folder_name: String,
    /// How long it may take.
    pub timeout: Duration,
}
