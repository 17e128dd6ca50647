//! The additions of a change to a trace.

/// The addition of one change, which a rule may want to look at again. Each names an index into the trace's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delta {
    /// This call started.
    CallStarted(usize),
    /// This call's arguments are complete.
    ArgsDone(usize),
    /// This call got a result.
    Answered(usize),
    /// This message is complete.
    MessageClosed(usize),
    /// This text came next to the answer.
    Aside(usize),
    /// The agent declared its tools.
    ToolsDeclared,
    /// The state changed.
    StateChanged,
}
