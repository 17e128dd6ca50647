//! The checks of an audit.

use schemars::JsonSchema;
use serde::Serialize;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[schemars(rename = "Level")]
#[serde(rename_all = "snake_case")]
pub enum CheckLevel {
    /// The protocol forbids it, or the tool cannot be used.
    Error,
    /// The protocol advises against it.
    Warning,
}

macro_rules! checks {
    ($($(#[$doc:meta])* $check:ident = $name:literal, $level:ident;)*) => {
        /// What an audit looks for. A name never changes its meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
        #[schemars(rename = "Check")]
        pub enum AuditCheck { $($(#[$doc])* #[serde(rename = $name)] $check,)* }

        impl AuditCheck {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$check,)*];

            /// Its name in reports.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$check => $name,)* }
            }

            /// The severity of the check.
            pub fn level(self) -> CheckLevel {
                match self { $(Self::$check => CheckLevel::$level,)* }
            }
        }
    };
}

checks! {
    /// A tool has no name.
    MissingName = "missing-name", Error;
    /// Two tools have one name.
    DuplicateName = "duplicate-name", Error;
    /// The names of two tools differ in case, `-` or `_` alone.
    SimilarName = "similar-name", Warning;
    /// A name has characters, or a length, that clients need not take.
    OddName = "odd-name", Warning;
    /// A tool has no description.
    MissingDescription = "missing-description", Warning;
    /// A parameter has no description.
    MissingParameterDescription = "missing-parameter-description", Warning;
    /// A description speaks of a parameter that the schema does not have.
    UnknownParameter = "unknown-parameter", Warning;
    /// A tool says that it only reads, and has the name of one that writes.
    ReadOnlyName = "read-only-name", Warning;
    /// A tool has no schema of its arguments.
    MissingSchema = "missing-schema", Error;
    /// A schema is not valid.
    InvalidSchema = "invalid-schema", Error;
    /// Values cannot be checked against a schema, which is valid.
    UncheckedSchema = "unchecked-schema", Warning;
    /// The schema of the arguments is not one of an object.
    NoObjectSchema = "no-object-schema", Error;
    /// Nothing says what an object contains.
    ObjectWithoutProperties = "object-without-properties", Warning;
    /// An `enum` has one value.
    SingleValueEnum = "single-value-enum", Warning;
    /// The agent ended, or the connection did, without an answer.
    Crash = "crash", Error;
    /// There was no answer in time.
    Hang = "hang", Error;
    /// There was no answer in time to arguments at the boundary of what is allowed, which may be work without an end.
    Slow = "slow", Warning;
    /// The answer is not what the protocol promises.
    InvalidResponse = "invalid-response", Error;
    /// Something that the protocol forbids, such as lines on stdout that are not messages.
    Protocol = "protocol", Error;
    /// A result does not satisfy the schema that the tool declares for it.
    InvalidResult = "invalid-result", Error;
    /// A call failed, and no text says why.
    ErrorWithoutText = "error-without-text", Error;
    /// An error shows the inside of the program.
    StackTrace = "stack-trace", Warning;
    /// A call with valid arguments is refused as a whole, instead of a result that says why it failed.
    RefusedCall = "refused-call", Error;
    /// A call with invalid arguments gets the error of a program that failed inside, instead of a refusal.
    InternalError = "internal-error", Warning;
    /// A call with invalid arguments succeeds.
    AcceptedArguments = "accepted-arguments", Error;
    /// A call to a tool that does not exist succeeds.
    UnknownToolAccepted = "unknown-tool-accepted", Error;
    /// A call to a tool that does not exist has a result, instead of being refused.
    UnknownToolResult = "unknown-tool-result", Warning;
    /// The tools are listed in another way the second time.
    ListChanges = "list-changes", Warning;
    /// The agent does not end by itself.
    DoesNotEnd = "does-not-end", Warning;
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_check_has_a_name_of_its_own() {
        let names: BTreeSet<&str> = AuditCheck::ALL.iter().map(|check| check.as_str()).collect();
        assert_eq!(names.len(), AuditCheck::ALL.len());
    }
}
