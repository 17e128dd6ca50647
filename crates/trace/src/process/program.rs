//! A program that can be started.

use std::path::Path;

use crate::redact::truncated;
use ananke_base::context::Environment;

/// The most characters of a command that are shown.
const SHOWN_COMMAND: usize = 200;

/// A program that can be started.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// The program and its arguments.
    pub argv: &'a [String],
    /// Its whole environment.
    pub environment: &'a Environment,
    /// The folder it runs in.
    pub folder: &'a Path,
    /// The folder as shown in messages.
    pub folder_name: &'a str,
}

/// The words of a command as a list.
pub fn shown(argv: &[String]) -> String {
    let words: Vec<String> = argv
        .iter()
        .map(|word| serde_json::Value::from(word.as_str()).to_string())
        .collect();
    truncated(&format!("[{}]", words.join(", ")), SHOWN_COMMAND)
}
