//! The parameters with which a program is started.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::Duration;

use ananke_base::context::Environment;

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
    /// The most time that it may take.
    pub timeout: Duration,
}

/// The largest variable that every system passes on: its name, `=`, its value and the NUL at its end, in bytes.
const LARGEST: usize = 128 << 10;

impl Launch {
    /// Leaves out the environment variables that no program can get, and returns a warning for each; `who` is the program
    /// as messages name it.
    pub fn leave_out_unusable(&mut self, who: &str) -> Vec<String> {
        let mut warnings = Vec::new();
        let why = |name: &OsStr, value: &OsStr| match value.as_encoded_bytes() {
            bytes if bytes.contains(&0) => Some("it contains a NUL character".to_owned()),
            bytes if name.len() + bytes.len() + 2 > LARGEST => Some(format!(
                "it has {} bytes, and a system need not pass on more than {LARGEST}",
                bytes.len()
            )),
            _ => None,
        };
        if !self
            .environment
            .iter()
            .any(|(name, value)| why(name, value).is_some())
        {
            return warnings;
        }
        let mut usable = Environment::default();
        for (name, value) in self.environment.iter() {
            match why(name, value) {
                None => usable.set(name, value),
                Some(why) => {
                    let name = name.to_string_lossy();
                    warnings.push(format!(
                        "`{name}` is not in the environment of {who}: {why}"
                    ));
                }
            }
        }
        self.environment = usable;
        warnings
    }
}
