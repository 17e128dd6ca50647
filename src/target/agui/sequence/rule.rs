//! The rules of sequence, by stable names.

macro_rules! rules {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// A rule about the order in which the events of a run may come. Its name says how it is broken, and never
        /// changes its meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum SequenceRule { $($(#[$doc])* $variant,)* }

        impl SequenceRule {
            /// Every rule: those of the run first, then those of what a run is made of.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name as printed.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

rules! {
    /// The first event is neither the start of a run nor an error.
    RunNotStarted = "run-not-started",
    /// A run starts while another one is open.
    RunAlreadyStarted = "run-already-started",
    /// An event after the run finished that is neither an error nor the next start.
    AfterRunFinished = "after-run-finished",
    /// An event after an error that is not the next start.
    AfterRunError = "after-run-error",
    /// A message begins that is open.
    TextAlreadyOpen = "text-already-open",
    /// Text or the end of a message that is not open.
    TextNotOpen = "text-not-open",
    /// The run finishes while a message is open.
    TextStillOpen = "text-still-open",
    /// A call begins that is open.
    CallAlreadyOpen = "call-already-open",
    /// Arguments or the end of a call that is not open.
    CallNotOpen = "call-not-open",
    /// The run finishes while a call is open.
    CallStillOpen = "call-still-open",
    /// A span of reasoning begins that is open.
    ReasoningAlreadyOpen = "reasoning-already-open",
    /// The end of a span of reasoning that is not open.
    ReasoningNotOpen = "reasoning-not-open",
    /// The run finishes while a span of reasoning is open.
    ReasoningStillOpen = "reasoning-still-open",
    /// A reasoning message begins that is open.
    ReasoningMessageAlreadyOpen = "reasoning-message-already-open",
    /// Text or the end of a reasoning message that is not open.
    ReasoningMessageNotOpen = "reasoning-message-not-open",
    /// The run finishes while a reasoning message is open.
    ReasoningMessageStillOpen = "reasoning-message-still-open",
    /// A step starts that its owner has open.
    StepAlreadyOpen = "step-already-open",
    /// A step finishes that its owner has not open.
    StepNotOpen = "step-not-open",
    /// The run finishes while a step is open.
    StepStillOpen = "step-still-open",
    /// A subagent starts under an id that the run has seen.
    SubagentStartedTwice = "subagent-started-twice",
    /// A subagent starts below one that never started.
    SubagentUnknownParent = "subagent-unknown-parent",
    /// A subagent ends that does not run.
    SubagentNotRunning = "subagent-not-running",
    /// The run finishes while a subagent runs.
    SubagentStillRunning = "subagent-still-running",
    /// An event goes on with what another subagent, or the agent itself, began.
    OtherSubagent = "other-subagent",
    /// `subagentRunId` is there and is `null`.
    NullSubagent = "null-subagent",
    /// A chunk that names no id where none is under way.
    ChunkWithoutId = "chunk-without-id",
    /// The first chunk of a call without the tool's name.
    ChunkWithoutName = "chunk-without-name",
    /// A chunk that could go on with more than one thing.
    ChunkAmbiguous = "chunk-ambiguous",
    /// A chunk says again what the first one said, and says it differently.
    ChunkDisagrees = "chunk-disagrees",
}

impl SequenceRule {
    /// The rule of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|rule| rule.as_str() == name)
    }

    /// Whether it holds only for servers that say they speak 1.0: the clients of the versions before have no such rule.
    pub(super) fn came_with_1_0(self) -> bool {
        matches!(
            self,
            Self::ReasoningAlreadyOpen
                | Self::ReasoningNotOpen
                | Self::ReasoningStillOpen
                | Self::ReasoningMessageAlreadyOpen
                | Self::ReasoningMessageNotOpen
                | Self::ReasoningMessageStillOpen
                | Self::ChunkDisagrees
        )
    }
}
