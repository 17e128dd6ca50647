//! What the codes mean, for people: one table that `ananke explain CODE` prints and the tests hold to.

mod project;
mod values;
mod warnings;

use super::Code;

/// What a code means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explained {
    /// A few sentences.
    pub about: &'static str,
    /// A file with the problem and the same without it, where a file can show it.
    pub example: Option<Example>,
}

/// A wrong file and the right one, both complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// Which file it is.
    pub file: ExampleFile,
    /// With the problem, and no other.
    pub wrong: &'static str,
    /// Without it.
    pub right: &'static str,
}

/// Which file an example is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExampleFile {
    /// The project config.
    Config,
    /// A test file.
    Test,
}

const fn told(about: &'static str) -> Explained {
    Explained { about, example: None }
}

const fn of_test(about: &'static str, wrong: &'static str, right: &'static str) -> Explained {
    Explained { about, example: Some(Example { file: ExampleFile::Test, wrong, right }) }
}

const fn of_config(about: &'static str, wrong: &'static str, right: &'static str) -> Explained {
    Explained { about, example: Some(Example { file: ExampleFile::Config, wrong, right }) }
}

impl Code {
    /// The code of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str() == name)
    }

    /// What it means, with an example.
    pub fn explained(self) -> Explained {
        match self {
            Self::AssertsNothing => warnings::ASSERTS_NOTHING,
            Self::BadEncoding => values::BAD_ENCODING,
            Self::BadPattern => values::BAD_PATTERN,
            Self::BadReference => values::BAD_REFERENCE,
            Self::BadReport => project::BAD_REPORT,
            Self::BadRow => project::BAD_ROW,
            Self::BadUrl => values::BAD_URL,
            Self::BadValue => values::BAD_VALUE,
            Self::CircularExtends => project::CIRCULAR_EXTENDS,
            Self::ConfigMissing => project::CONFIG_MISSING,
            Self::DuplicateId => project::DUPLICATE_ID,
            Self::ConnectOverHttp => warnings::CONNECT_OVER_HTTP,
            Self::DuplicateSnapshot => project::DUPLICATE_SNAPSHOT,
            Self::Contradiction => values::CONTRADICTION,
            Self::DuplicateKey => values::DUPLICATE_KEY,
            Self::EmptyValue => values::EMPTY_VALUE,
            Self::FixedThread => project::FIXED_THREAD,
            Self::ForbiddenRequirement => warnings::FORBIDDEN_REQUIREMENT,
            Self::ForbiddenText => warnings::FORBIDDEN_TEXT,
            Self::IdleAboveDuration => warnings::IDLE_ABOVE_DURATION,
            Self::LimitAboveTimeout => warnings::LIMIT_ABOVE_TIMEOUT,
            Self::LimitExceeded => values::LIMIT_EXCEEDED,
            Self::MissingKey => values::MISSING_KEY,
            Self::NewerKey => project::NEWER_KEY,
            Self::NoTests => project::NO_TESTS,
            Self::OtherConfig => project::OTHER_CONFIG,
            Self::QuarantineExpiry => project::QUARANTINE_EXPIRY,
            Self::QuarantineOfNothing => project::QUARANTINE_OF_NOTHING,
            Self::RequiresNothing => warnings::REQUIRES_NOTHING,
            Self::Server => project::SERVER,
            Self::ShortSecret => warnings::SHORT_SECRET,
            Self::Syntax => values::SYNTAX,
            Self::UndefinedVariable => values::UNDEFINED_VARIABLE,
            Self::UnknownKey => values::UNKNOWN_KEY,
            Self::UnknownName => project::UNKNOWN_NAME,
            Self::UnansweredCall => warnings::UNANSWERED_CALL,
            Self::UnknownValue => values::UNKNOWN_VALUE,
            Self::Unreadable => project::UNREADABLE,
            Self::Version => project::VERSION,
            Self::WrongType => values::WRONG_TYPE,
        }
    }
}
