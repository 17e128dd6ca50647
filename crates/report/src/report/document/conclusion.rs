//! The exit code of a command, and the reason for it.

/// The exit code that follows from what was found, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conclusion {
    /// The exit code.
    pub exit_code: u8,
    /// The reason, for people.
    pub reason: String,
}

impl Conclusion {
    /// The exit code 1 if something is `wrong`, with all of that as the reason; else 0 with what is `right`.
    pub(in crate::report) fn of(wrong: &[String], right: String) -> Self {
        Self {
            exit_code: u8::from(!wrong.is_empty()),
            reason: if wrong.is_empty() {
                right
            } else {
                wrong.join("; ")
            },
        }
    }
}
