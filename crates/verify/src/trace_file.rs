//! A file of conversations, why one cannot be read, and a format of traces: what opens files of it.

use std::path::Path;

use futures_util::future::BoxFuture;

use ananke_agents::TimedChange;
use ananke_base::context::Context;
use ananke_base::source::received_json::{JsonError, Oddities, is_utf16};
use ananke_conversation::observed::ObservedConversation;
use ananke_plan::Selection;
use ananke_trace::outcome::{ErrorKind, Problem};
use ananke_trace::trace::{Change, Facts, Unread};

/// The context with which a trace is read.
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

    /// The oddities of the file as a whole.
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

/// Adds what is odd in the JSON of a conversation, which is in the file `shown`. A key that is duplicated with another value
/// may be anything, in each turn.
pub(crate) fn add_oddities(read: &mut ObservedConversation, mut oddities: Oddities, shown: &str) {
    if let Some(key) = oddities.duplicate_key.take() {
        let unread = Unread::duplicate_key(&key, Facts::OF_AGENT);
        for turn in &mut read.turns {
            // The last change ends the turn.
            let place = turn.changes.len().saturating_sub(1);
            let after = turn.changes.get(place).map_or(turn.after, |end| end.after);
            let change = Change::Unread(unread.clone());
            turn.changes.insert(place, TimedChange { after, change });
        }
    }
    let of_file = oddities.warnings().map(|words| format!("{shown}: {words}"));
    read.warnings.extend(of_file);
}

/// The reason that a trace cannot be read.
#[derive(Clone, Debug)]
pub struct TraceError {
    /// The problem, with the file and the line.
    pub message: String,
    /// The remedy.
    pub help: Option<String>,
}

impl TraceError {
    /// The same as the problem of a test.
    pub(crate) fn problem(self) -> Problem {
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

/// A document of the file `shown`, which begins on this line, is not JSON for this reason.
pub(crate) fn not_json(shown: &str, line: usize, error: &JsonError, help: &str) -> TraceError {
    // The reader counts the lines of the document.
    let within = error.0.rsplit_once(" at line ");
    let within = within.and_then(|(_, place)| place.split(' ').next()?.parse::<usize>().ok());
    let line = line + within.unwrap_or(1).saturating_sub(1);
    TraceError {
        message: format!("{shown}:{line}: it is not JSON: {error}"),
        help: Some(help.to_owned()),
    }
}

/// The error of a file in UTF-16, if it is one.
pub(crate) fn utf16(start: &[u8], shown: &str) -> Option<TraceError> {
    is_utf16(start).then(|| TraceError {
        message: format!("{shown}: it is UTF-16, not UTF-8"),
        help: Some("save it as UTF-8; PowerShell writes it with `-Encoding utf8`".to_owned()),
    })
}

/// The file `shown` cannot be read for this reason.
pub(crate) fn unreadable(shown: &str, why: &str) -> TraceError {
    TraceError {
        message: format!("{shown}: it cannot be read: {why}"),
        help: None,
    }
}

/// A format of traces.
pub trait TraceFormat: Sync {
    /// The name of the format on the command line.
    fn name(&self) -> &'static str;

    /// Whether its files are recordings of tests of a project.
    fn is_of_tests(&self) -> bool {
        false
    }

    /// Opens the file at `path`, which messages call `shown`.
    ///
    /// # Errors
    /// If it cannot be read, or is not of this format.
    fn open(
        &self,
        path: &Path,
        shown: &str,
        context: &TraceContext,
    ) -> Result<Box<dyn TraceFile>, TraceError>;
}
