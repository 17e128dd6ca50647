//! The capabilities of a target, as far as tests depend on them.

/// Something that a test may need of its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capability {
    /// Tool calls are visible.
    ToolCalls,
    /// The tokens of a run are reported.
    Usage,
    /// The state is visible.
    State,
    /// There can be turns in which the user says something.
    UserTurns,
    /// There can be turns whose messages have parts in the words of the protocol.
    MessageParts,
    /// The agent can replay its thread.
    Connect,
    /// The agent can wait for an answer to an interrupt, and go on with it.
    Interrupts,
    /// Client-side tools can be declared.
    ClientTools,
    /// Messages from before the first turn can be sent.
    History,
    /// A test can list its tools and call them itself, read its resources and fill its prompts.
    OpenTools,
    /// It declares its tools with their schemas.
    ToolSchemas,
    /// A message of a tool can have several parts.
    ToolParts,
    /// Audio, video and documents can be sent.
    FilesBesideImages,
    /// A file that the agent fetches itself need not have a media type.
    UntypedUrls,
}

/// The capabilities of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    lacking: &'static [Capability],
}

impl Capabilities {
    /// A target that can do everything but this.
    pub const fn all_but(lacking: &'static [Capability]) -> Self {
        Self { lacking }
    }

    /// Whether the target has `capability`.
    pub fn has(self, capability: Capability) -> bool {
        !self.lacking.contains(&capability)
    }
}

impl Capability {
    /// The way in which a test gets a capability that its target does not have, whatever the protocol.
    pub fn how_to_get(self) -> Option<&'static str> {
        match self {
            Self::OpenTools => Some(
                "name a target that a test can ask so: `target: NAME` in the test; an agent is asked by turns with `user`",
            ),
            _ => None,
        }
    }

    /// The lack of a target without it, after "a target of the type `x`": `does not show tool calls`.
    pub fn lack(self) -> &'static str {
        match self {
            Self::ToolCalls => "does not show tool calls",
            Self::Usage => "does not report tokens",
            Self::State => "does not show a state",
            Self::UserTurns => "takes no words of a user",
            Self::MessageParts => "takes no messages that are written part by part",
            Self::Connect => "cannot replay its thread",
            Self::Interrupts => "does not wait for answers",
            Self::ClientTools => "takes no client tools",
            Self::History => "takes no messages from before the first turn",
            Self::ToolSchemas => "shows no schemas of its tools",
            Self::OpenTools => "has no tools, resources or prompts that a test can ask for itself",
            Self::ToolParts => "takes the message of a tool as text alone",
            Self::FilesBesideImages => "takes no files but images",
            Self::UntypedUrls => "takes no URL of a file without its media type",
        }
    }
}
