//! The errors that prevent a recording.

use ananke::freeze::FreezeError;

use crate::cli::exit::Exit;
use crate::cli::output_files::RefusedOutput;

/// The reason that nothing is recorded.
pub(super) enum Unrecorded {
    /// It was reported.
    Reported(Exit),
    /// This is to be reported.
    Refused(FreezeError),
}

impl From<FreezeError> for Unrecorded {
    fn from(error: FreezeError) -> Self {
        Self::Refused(error)
    }
}

impl From<RefusedOutput> for Unrecorded {
    fn from(refusal: RefusedOutput) -> Self {
        Self::Refused(refusal.into())
    }
}

impl From<std::io::Error> for Unrecorded {
    fn from(error: std::io::Error) -> Self {
        Self::Refused(FreezeError::Refused {
            message: error.to_string(),
            help: None,
        })
    }
}
