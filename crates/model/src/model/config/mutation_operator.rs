//! The kinds of changes that `ananke mutate` makes to a conversation.

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;

/// Declares the operators with their names.
macro_rules! operators {
    ($($(#[doc = $words:literal])+ $operator:ident = $name:literal,)+) => {
        /// One kind of change to what an agent did.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        #[schemars(inline)]
        pub enum MutationOperator {
            $($(#[doc = $words])+ $operator,)+
        }

        impl MutationOperator {
            /// All of them, in the order of reports.
            pub const ALL: &[Self] = &[$(Self::$operator),+];

            /// Its name in reports and configs.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$operator => $name,)+
                }
            }
        }
    };
}

operators! {
    /// A call is not made.
    DropCall = "drop_call",
    /// A call is made twice.
    DuplicateCall = "duplicate_call",
    /// Two calls in a row change places.
    SwapCalls = "swap_calls",
    /// A call is made at the end of its turn, after the text that was said after it.
    MoveCall = "move_call",
    /// A call to a tool that the agent does not have.
    UndeclaredCall = "undeclared_call",
    /// An argument has another value.
    ChangeArgument = "change_argument",
    /// An argument is missing.
    DropArgument = "drop_argument",
    /// There is one more argument.
    AddArgument = "add_argument",
    /// An argument has another type.
    RetypeArgument = "retype_argument",
    /// An argument has an identifier of something else.
    SwapIdentifier = "swap_identifier",
    /// A call fails that succeeded.
    ResultError = "result_error",
    /// A call is denied that was executed.
    ResultDenied = "result_denied",
    /// A result is empty.
    ResultEmpty = "result_empty",
    /// A result has another value.
    ResultValue = "result_value",
    /// After a call that failed, the agent says that it worked.
    FalseRecovery = "false_recovery",
    /// A word of the text is another one.
    ChangeWord = "change_word",
    /// A sentence of the text is missing.
    DropSentence = "drop_sentence",
    /// The text claims something that was not done.
    AddClaim = "add_claim",
    /// The state has another value.
    StateValue = "state_value",
    /// The agent does not wait for an answer.
    SkipInterrupt = "skip_interrupt",
    /// A pause takes much longer.
    StretchGap = "stretch_gap",
    /// The run ends with an error.
    ErrorEvent = "error_event",
    /// The connection breaks, or the program ends, in the middle of a response.
    CutStream = "cut_stream",
    /// A response stops coming.
    StallStream = "stall_stream",
    /// A response ends without its last event.
    MissingEnd = "missing_end",
}

impl fmt::Display for MutationOperator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
