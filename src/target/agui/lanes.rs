//! The chunk forms: messages and calls that begin with their first chunk and end with whatever comes instead of the
//! next one. Every subagent, and the agent itself, may have one of them under way.

use std::collections::HashMap;

/// What chunks make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Message,
    Call,
    Thoughts,
}

/// A message or a call under way in chunks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Begun {
    pub(super) kind: Kind,
    pub(super) id: String,
}

/// What is under way, by subagent; the agent itself is the empty name.
#[derive(Debug, Default)]
pub(super) struct Lanes(HashMap<String, Begun>);

impl Lanes {
    /// The id of what `owner` has under way, if it is of this kind.
    pub(super) fn current(&self, owner: &str, kind: Kind) -> Option<&str> {
        self.0.get(owner).filter(|begun| begun.kind == kind).map(|begun| begun.id.as_str())
    }

    /// The id of the only thing of this kind that is under way, where it is one.
    pub(super) fn only(&self, kind: Kind) -> Option<&str> {
        let mut ids = self.0.values().filter(|begun| begun.kind == kind).map(|begun| begun.id.as_str());
        ids.next().filter(|_| ids.next().is_none())
    }

    pub(super) fn begin(&mut self, owner: &str, kind: Kind, id: &str) {
        self.0.insert(owner.to_owned(), Begun { kind, id: id.to_owned() });
    }

    /// Ends what `owner` has under way.
    pub(super) fn end(&mut self, owner: &str) -> Option<Begun> {
        if self.0.is_empty() { None } else { self.0.remove(owner) }
    }

    /// Ends everything, in the order of the owners' names.
    pub(super) fn end_all(&mut self) -> Vec<Begun> {
        let mut begun: Vec<_> = self.0.drain().collect();
        begun.sort_unstable_by(|(left, _), (right, _)| left.cmp(right));
        begun.into_iter().map(|(_, begun)| begun).collect()
    }
}

/// Which chunks an event of this type ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ends {
    Nothing,
    Own,
    All,
}

impl Ends {
    pub(super) fn of(kind: &str) -> Self {
        match kind {
            // Chunks decide for themselves whether they go on.
            "TEXT_MESSAGE_CHUNK"
            | "TOOL_CALL_CHUNK"
            | "REASONING_MESSAGE_CHUNK"
            | "REASONING_ENCRYPTED_VALUE"
            | "SUBAGENT_STARTED" => Self::Nothing,
            "MESSAGES_SNAPSHOT" => Self::All,
            _ if kind.starts_with("RUN_") => Self::All,
            "CUSTOM" => Self::Own,
            _ => {
                let own = [
                    "TEXT_MESSAGE_",
                    "TOOL_CALL_",
                    "REASONING_",
                    "THINKING_",
                    "STATE_",
                    "STEP_",
                    "SUBAGENT_",
                ];
                if own.iter().any(|prefix| kind.starts_with(prefix)) { Self::Own } else { Self::Nothing }
            }
        }
    }
}
