//! A file of conversations, and why one cannot be read.

use futures_util::future::BoxFuture;

use ananke_base::context::Context;
use ananke_engine::observed::ObservedConversation;
use ananke_engine::plan::Selection;
use ananke_trace::outcome::{ErrorKind, Problem};

/// What a trace is read with.
pub struct TraceContext {
    /// The outside world.
    pub context: Context,
    /// The project, for traces that are of its tests.
    pub selection: Selection,
}

/// A file of conversations.
pub trait TraceFile: Send + Sync {
    /// The id of each conversation, in order.
    fn ids(&self) -> Vec<String>;

    /// What is odd about the file as a whole.
    fn notes(&self) -> &[String] {
        &[]
    }

    /// The id of the test that its conversations are of, if it says so.
    fn test(&self) -> Option<&str> {
        None
    }

    /// The conversation at this place among them.
    fn conversation(&self, index: usize) -> BoxFuture<'_, Result<ObservedConversation, Problem>>;
}

/// Why a trace cannot be read.
#[derive(Clone, Debug)]
pub struct TraceError {
    /// What is wrong, with the file and the line.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

impl TraceError {
    /// The same as the problem of a test.
    pub(in crate::verify) fn problem(self) -> Problem {
        Problem {
            kind: ErrorKind::Setup,
            message: self.message,
            help: self.help,
        }
    }
}

impl From<Problem> for TraceError {
    fn from(Problem { message, help, .. }: Problem) -> Self {
        Self { message, help }
    }
}

/// The file `shown` cannot be read for this reason.
pub(in crate::verify) fn unreadable(shown: &str, why: &str) -> TraceError {
    TraceError {
        message: format!("{shown}: it cannot be read: {why}"),
        help: None,
    }
}
