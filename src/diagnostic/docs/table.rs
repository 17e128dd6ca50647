//! The table of what every code means.

use super::super::code::Code;
use super::code_docs::CodeDocs;
use super::{project, values, warnings};

impl Code {
    /// The code of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str() == name)
    }

    /// What it means, with an example.
    pub fn docs(self) -> CodeDocs {
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
