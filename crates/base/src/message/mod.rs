//! The vocabulary of a conversation: what users, agents and tools exchange, whatever protocol carries it.
//!
//! These are values with every variable filled in: `compile` makes them from what a test says, `engine` sends them, and a
//! target translates them into the requests of its protocol.
//!
//! **Invariant:** it knows neither what people write nor how a protocol carries it.

mod attachment;
mod history;
mod lane;
pub mod media_type;
mod own_turn;
mod tool;
mod turn_input;
mod turn_request;
mod user_content;

pub use attachment::{Attachment, FileContent, MediaKind, size_in_words};
pub use history::{HistoryCall, HistoryMessage, Role};
pub use lane::Lane;
pub use own_turn::{OwnTurn, OwnTurnKind, TextOfKeys};
pub use tool::{DeclaredTool, ToolAnswer, ToolDeclaration};
pub use turn_input::{AnswerTo, MessageId, PendingAnswer, TurnInput, map_strings};
pub use turn_request::{
    ClientInput, InterruptAnswer, RequestAdditions, RequestContext, ServerAnswer, ServerAnswers,
    ServerRequest, ServerRequestKind, TurnRequest,
};
pub use user_content::{ContentPart, UserContent};
