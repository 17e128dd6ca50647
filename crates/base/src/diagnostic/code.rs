//! The kinds of problems, by stable names.

use std::fmt;

use super::CodeDocs;

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// The kind of problem that a diagnostic reports. The name never changes its meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code { $($(#[$doc])* $variant,)* }

        impl Code {
            /// Every code, in the order of their names.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name as printed.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The code of this name.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|code| code.as_str() == name)
            }

            /// The meaning of the code, with an example: its page in `docs/`.
            pub fn docs(self) -> CodeDocs {
                CodeDocs::parse(match self {
                    $(Self::$variant => include_str!(concat!("docs/", $name, ".md")),)*
                })
            }
        }
    };
}

codes! {
    /// A test to which no assertion applies.
    AssertsNothing = "asserts-nothing",
    /// The file's bytes are not UTF-8.
    BadEncoding = "bad-encoding",
    /// A pattern is not a regular expression that ananke accepts.
    BadPattern = "bad-pattern",
    /// A `${…}` that is no reference.
    BadReference = "bad-reference",
    /// A file that is no whole report, where one is compared.
    BadReport = "bad-report",
    /// A row of data that a test cannot run with.
    BadRow = "bad-row",
    /// A URL that cannot be used.
    BadUrl = "bad-url",
    /// A value of the right type that is not allowed here.
    BadValue = "bad-value",
    /// Targets or assertions that extend each other in a circle.
    CircularExtends = "circular-extends",
    /// No project config was found, or it cannot be read.
    ConfigMissing = "config-missing",
    /// A turn that connects to an agent which may take that for a run.
    ConnectOverHttp = "connect-over-http",
    /// Keys that exclude each other.
    Contradiction = "contradiction",
    /// An entry of `require` that is written twice.
    DuplicateEntry = "duplicate-entry",
    /// Two tests have one id.
    DuplicateId = "duplicate-id",
    /// A key is duplicated in one mapping.
    DuplicateKey = "duplicate-key",
    /// Two rules name one snapshot.
    DuplicateSnapshot = "duplicate-snapshot",
    /// A key without a value.
    EmptyValue = "empty-value",
    /// A variable that is empty where a value is needed.
    EmptyVariable = "empty-variable",
    /// Attempts of one test that would share a thread.
    FixedThread = "fixed-thread",
    /// A tool that is required and forbidden.
    ForbiddenRequirement = "forbidden-requirement",
    /// A text that must and must not be said.
    ForbiddenText = "forbidden-text",
    /// A limit of idle time that is no smaller than the one of the duration.
    IdleAboveDuration = "idle-above-duration",
    /// A call that is required after itself.
    ImpossibleOrder = "impossible-order",
    /// Files that look like part of the project and are not.
    LeftOut = "left-out",
    /// A limit above the timeout, which is reached first.
    LimitAboveTimeout = "limit-above-timeout",
    /// A file is larger, deeper or more repetitive than is read.
    LimitExceeded = "limit-exceeded",
    /// A value in `args` or `result` that looks like a condition and means itself.
    LooksLikeCondition = "looks-like-condition",
    /// A literal text that is written like a template, a pattern or an escape.
    LooksLikePattern = "looks-like-pattern",
    /// A required key is missing.
    MissingKey = "missing-key",
    /// A recording of a model that cannot be read.
    ModelRecording = "model-recording",
    /// A tool that a rule names and no agent called, almost like one that exists.
    NearName = "near-name",
    /// A text that is nearly what a rule looks for.
    NearText = "near-text",
    /// A value that is nearly what a rule looks for.
    NearValue = "near-value",
    /// A sequential test that has too few runs to ever pass.
    NeverDecided = "never-decided",
    /// A name, a pattern or a prohibited text that matches nothing because of how it is written.
    NeverMatches = "never-matches",
    /// A rule whose trigger is forbidden, or whose cause always comes.
    NeverTriggered = "never-triggered",
    /// A key is newer than the version its file declares.
    NewerKey = "newer-key",
    /// No test was selected.
    NoTests = "no-tests",
    /// A named file belongs to another project.
    OtherConfig = "other-config",
    /// A pattern where the exact name of a tool is expected.
    PatternAsName = "pattern-as-name",
    /// A file of promptfoo, or a part of one that has no counterpart here.
    Promptfoo = "promptfoo",
    /// An entry of the quarantine that has expired, or will soon.
    QuarantineExpiry = "quarantine-expiry",
    /// An entry of the quarantine that fits no test.
    QuarantineOfNothing = "quarantine-of-nothing",
    /// A provider's key in a recording of a model.
    RecordedSecret = "recorded-secret",
    /// A required call of which any number is enough, none too.
    RequiresNothing = "requires-nothing",
    /// A server of the config that does not run when it is needed.
    Server = "server",
    /// A command of the config's `setup` or `teardown` that failed.
    Setup = "setup",
    /// A secret too short to be masked.
    ShortSecret = "short-secret",
    /// Something in a file of an older version that has another meaning since version 1.4.
    Since14 = "since-1.4",
    /// YAML that probably means something else.
    SuspiciousYaml = "suspicious-yaml",
    /// The text is not YAML.
    Syntax = "syntax",
    /// A call among the messages of before that no message answers.
    UnansweredCall = "unanswered-call",
    /// A call that an exact number does not include, and that no other rule counts.
    UncountedCall = "uncounted-call",
    /// A variable that nothing defines.
    UndefinedVariable = "undefined-variable",
    /// A key that does not exist here.
    UnknownKey = "unknown-key",
    /// The name of a target, of assertions or of a script that the project does not have.
    UnknownName = "unknown-name",
    /// A value outside a closed set.
    UnknownValue = "unknown-value",
    /// The file cannot be read.
    Unreadable = "unreadable",
    /// A variable in the way of another tool, or where none is replaced.
    UnreplacedVariable = "unreplaced-variable",
    /// A rule about calls in a test whose target may show none.
    UnseenCalls = "unseen-calls",
    /// A limit that applies to no turn.
    UnusedLimit = "unused-limit",
    /// A pattern that matches nothing, or everything.
    UselessPattern = "useless-pattern",
    /// The `version` is missing, not quoted, unknown or too new.
    Version = "version",
    /// A value of the wrong type.
    WrongType = "wrong-type",
}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}
