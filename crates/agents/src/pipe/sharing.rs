//! The part of a protocol by which several conversations, one after the other, have one program.

use std::fmt;

/// A program that tests share: each gets it when the one before it is over.
#[derive(Clone)]
pub struct ProgramSharing {
    /// What conversations must have in common, in addition to the program.
    pub key: String,
    /// Begins with a program that was just started.
    pub conversations: fn() -> Box<dyn SharedConversations>,
}

/// Two are equal that can have one program.
impl PartialEq for ProgramSharing {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for ProgramSharing {}

impl fmt::Debug for ProgramSharing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_tuple("ProgramSharing")
            .field(&self.key)
            .finish()
    }
}

/// The fate of a line that a client sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineDelivery {
    /// The program gets this line.
    Passed(Vec<u8>),
    /// The program has answered the same before: the client gets this line.
    Answered(Vec<u8>),
    /// The program knows it already.
    Dropped,
}

/// The moment at which a line came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineArrival {
    /// Before the conversation began: it belongs to none, or to one before it.
    Before,
    /// While the conversation goes on.
    During,
}

/// The conversations with one program. To each of them the program is like one that was just started.
pub trait SharedConversations: Send {
    /// Another conversation begins.
    fn begin(&mut self);

    /// The client sends a line.
    fn send(&mut self, line: &[u8]) -> LineDelivery;

    /// The program printed a line; `None` if it is not of this conversation.
    fn receive(&mut self, line: Vec<u8>, arrival: LineArrival) -> Option<Vec<u8>>;

    /// Whether the next conversation can have the program: it is ready, and works on nothing.
    fn is_free(&self) -> bool;
}
