//! The capabilities of a target, as far as tests depend on them.
//!
//! **Why:** A test that needs what its target cannot do is wrong before it runs. So tests and targets meet in this list
//! of words and never in the name of a protocol, and a new protocol says what it can without touching a test.

/// Something that a test may need of its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capability {
    /// Tool calls are visible.
    ToolCalls,
    /// The tokens of a run are reported.
    Usage,
    /// Each exchange is one request to a model.
    ModelRequests,
    /// The state is visible.
    State,
    /// There can be turns in which the user says something.
    UserTurns,
    /// The agent can replay its thread.
    Connect,
    /// The agent can wait for an answer to an interrupt, and go on with it.
    Interrupts,
    /// Client-side tools can be declared.
    ClientTools,
    /// Messages from before the first turn can be sent.
    History,
    /// The declarations of its tools contain their schemas.
    ToolSchemas,
    /// A message of a tool can have several parts.
    ToolParts,
    /// Audio, video and documents can be sent.
    FilesBesideImages,
    /// A file that the agent fetches itself need not have a media type.
    UntypedUrls,
    /// A turn can add headers, parameters and keys of the body to its request.
    OwnRequests,
    /// Requests of other clients to its agent can be read.
    PassingRequests,
}

/// The capabilities of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// One bit for each capability.
    bits: u16,
}

impl Capabilities {
    /// A target that can do this. A loop, because constants are made of it.
    pub const fn of(has: &[Capability]) -> Self {
        let mut bits = 0;
        let mut index = 0;
        while index < has.len() {
            bits |= 1 << has[index] as u16;
            index += 1;
        }
        Self { bits }
    }

    /// The same target without `capability`.
    #[must_use]
    pub const fn without(self, capability: Capability) -> Self {
        Self {
            bits: self.bits & !(1 << capability as u16),
        }
    }

    /// Whether the target has `capability`.
    pub const fn has(self, capability: Capability) -> bool {
        self.bits & (1 << capability as u16) != 0
    }
}

impl Capability {
    /// The end of the message about a target without this capability. The message begins with "a target of the type `x`".
    pub fn lack(self) -> &'static str {
        match self {
            Self::ToolCalls => "does not show tool calls",
            Self::Usage => "does not report tokens",
            Self::ModelRequests => "does not show the requests to its model",
            Self::State => "does not show a state",
            Self::UserTurns => "takes no words of a user",
            Self::Connect => "cannot replay its thread",
            Self::Interrupts => "does not wait for answers",
            Self::ClientTools => "takes no client tools",
            Self::History => "takes no messages from before the first turn",
            Self::ToolSchemas => "shows no schemas of its tools",
            Self::ToolParts => "takes the message of a tool as text alone",
            Self::FilesBesideImages => "takes no files but images",
            Self::UntypedUrls => "takes no URL of a file without its media type",
            Self::OwnRequests => "takes no headers, query or body from a turn",
            Self::PassingRequests => "reads no requests of other clients",
        }
    }
}
