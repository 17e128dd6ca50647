//! The rules of sequence and their stable names.

macro_rules! rules {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// A rule about the order of the events of a run. Its name says how it is violated, and never changes its
        /// meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(in crate) enum EventOrderRule { $($(#[$doc])* $variant,)* }

        impl EventOrderRule {
            /// The name as printed.
            pub(in crate) fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Every name, in the order of the rules.
            #[cfg(test)]
            const NAMES: &[&str] = &[$($name,)*];
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
    /// An open message begins again.
    TextAlreadyOpen = "text-already-open",
    /// Text or the end of a message that is not open.
    TextNotOpen = "text-not-open",
    /// The run finishes while a message is open.
    TextStillOpen = "text-still-open",
    /// An open call begins again.
    CallAlreadyOpen = "call-already-open",
    /// Arguments or the end of a call that is not open.
    CallNotOpen = "call-not-open",
    /// The run finishes while a call is open.
    CallStillOpen = "call-still-open",
    /// A call begins whose id belongs to another call.
    CallIdShared = "call-id-shared",
    /// An open span of reasoning begins again.
    ReasoningAlreadyOpen = "reasoning-already-open",
    /// The end of a span of reasoning that is not open.
    ReasoningNotOpen = "reasoning-not-open",
    /// The run finishes while a span of reasoning is open.
    ReasoningStillOpen = "reasoning-still-open",
    /// An open reasoning message begins again.
    ReasoningMessageAlreadyOpen = "reasoning-message-already-open",
    /// Text or the end of a reasoning message that is not open.
    ReasoningMessageNotOpen = "reasoning-message-not-open",
    /// The run finishes while a reasoning message is open.
    ReasoningMessageStillOpen = "reasoning-message-still-open",
    /// A step starts that is open for its owner.
    StepAlreadyOpen = "step-already-open",
    /// A step finishes that is not open for its owner.
    StepNotOpen = "step-not-open",
    /// The run finishes while a step is open.
    StepStillOpen = "step-still-open",
    /// A subagent starts with an id that was used in the run.
    SubagentStartedTwice = "subagent-started-twice",
    /// A subagent starts whose parent never started.
    SubagentUnknownParent = "subagent-unknown-parent",
    /// A subagent ends that is not running.
    SubagentNotRunning = "subagent-not-running",
    /// The run finishes while a subagent is running.
    SubagentStillRunning = "subagent-still-running",
    /// An event continues what another subagent, or the agent itself, began.
    OtherSubagent = "other-subagent",
    /// `subagentRunId` is `null`.
    NullSubagent = "null-subagent",
    /// A chunk without an id, and nothing in chunks that it could continue.
    ChunkWithoutId = "chunk-without-id",
    /// The first chunk of a call without the tool's name.
    ChunkWithoutName = "chunk-without-name",
    /// A chunk that could continue more than one item.
    ChunkAmbiguous = "chunk-ambiguous",
    /// A chunk has another value than the first one.
    ChunkDisagrees = "chunk-disagrees",
    /// An event has a type that the protocol does not have.
    UnknownEvent = "unknown-event",
    /// A run finishes with an outcome that the protocol does not have.
    UnknownOutcome = "unknown-outcome",
    /// The arguments of a call are not a JSON object.
    ArgumentsNotObject = "arguments-not-object",
    /// A snapshot of the messages contradicts what was streamed.
    SnapshotContradicts = "snapshot-contradicts",
    /// A change of the state does not apply to the state.
    DeltaNotApplied = "delta-not-applied",
}

impl EventOrderRule {
    /// Whether it applies only to servers that say they speak 1.0: the clients of earlier versions have no such rule.
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

#[cfg(test)]
mod tests {
    use super::EventOrderRule;
    use ananke_agents::RuleDocs;

    #[test]
    fn every_rule_has_its_section_on_the_page() {
        let page = include_str!("../../../../docs/sequence.md");
        let documented: Vec<&str> = RuleDocs::of(page).map(|docs| docs.name).collect();
        assert_eq!(documented, EventOrderRule::NAMES);
    }
}
