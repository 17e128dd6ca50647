//! Freezes conversations of a trace: a test for each, with its recording.
//!
//! **Invariant:** every test was replayed as it is in the file.

use std::collections::HashSet;
use std::path::PathBuf;

use super::{TraceContext, TraceError, TraceFormat, hold_trace::hold_trace};
use ananke_base::context::Context;
use ananke_base::text::escape;
use ananke_lab::LabError;
use ananke_lab::record::{RecordRequest, RecordedFile, record};

/// The most conversations that become tests at once.
const MOST: usize = 100;

/// The number of ids that a message names.
const NAMED: usize = 5;

/// The input of a freeze, and the place of its result.
pub struct TraceFreezeRequest {
    /// The format of the trace.
    pub format: &'static dyn TraceFormat,
    /// The trace, and what messages call it.
    pub file: (PathBuf, String),
    /// The id of the conversation; without it, all of them.
    pub conversation: Option<String>,
    /// The target, and the files that are written.
    pub record: RecordRequest,
}

/// Makes a file of tests from the conversations of a trace. Nothing is written.
///
/// # Errors
/// If the trace cannot be read, or a conversation cannot be replayed.
pub async fn freeze_trace(
    context: &Context,
    request: &TraceFreezeRequest,
) -> Result<RecordedFile, LabError> {
    let TraceFreezeRequest {
        format,
        file: (path, shown),
        conversation,
        record: to,
    } = request;
    let trace_context = TraceContext {
        context: context.clone(),
        selection: to.selection.clone(),
    };
    let file = format.open(path, shown, &trace_context).map_err(refused)?;
    let ids = file.ids();
    let is_meant = |id: &str| conversation.as_ref().is_none_or(|meant| meant == id);
    let meant: Vec<_> = ids
        .iter()
        .enumerate()
        .filter(|(_, id)| is_meant(id))
        .collect();
    if meant.is_empty() {
        let named: Vec<_> = ids
            .iter()
            .take(NAMED)
            .map(|id| format!("`{}`", escape::line(id)))
            .collect();
        let meant = escape::line(conversation.as_deref().unwrap_or_default()).into_owned();
        let message = format!("`{shown}` has no conversation `{meant}`");
        return Err(LabError::refused(
            message,
            format!("it has {}", named.join(", ")),
        ));
    }
    if meant.len() > MOST {
        let message = format!(
            "`{shown}` has {} conversations: at most {MOST} become tests at once",
            meant.len()
        );
        return Err(LabError::refused(message, "name one with `--test ID`"));
    }
    let (mut held, mut names) = (Vec::new(), HashSet::new());
    for (index, id) in meant {
        let mut name = id.clone();
        let mut number = 1;
        while !names.insert(name.clone()) {
            number += 1;
            name = format!("{id} {number}");
        }
        let conversation = file.conversation(index).await?;
        held.push((
            name.clone(),
            hold_trace(context, to, &name, conversation).await?,
        ));
    }
    record(context, to, held).await
}

fn refused(TraceError { message, help }: TraceError) -> LabError {
    LabError::Refused { message, help }
}
