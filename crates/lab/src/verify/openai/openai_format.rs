//! `--from openai`.

use std::path::Path;

use futures_util::future::BoxFuture;

use super::message_lists::MessageLists;
use crate::verify::trace_file::{TraceContext, TraceError, TraceFile};
use crate::verify::trace_format::TraceFormat;
use ananke_engine::observed::ObservedConversation;
use ananke_trace::outcome::Problem;

/// Lists of messages.
pub(in crate::verify) struct OpenAiFormat;

impl TraceFormat for OpenAiFormat {
    fn name(&self) -> &'static str {
        "openai"
    }

    fn open(
        &self,
        path: &Path,
        shown: &str,
        _: &TraceContext,
    ) -> Result<Box<dyn TraceFile>, TraceError> {
        Ok(Box::new(MessageLists::open(path, shown)?))
    }
}

impl TraceFile for MessageLists {
    fn ids(&self) -> Vec<String> {
        MessageLists::ids(self)
    }

    fn conversation(&self, index: usize) -> BoxFuture<'_, Result<ObservedConversation, Problem>> {
        Box::pin(std::future::ready(MessageLists::conversation(self, index)))
    }
}
