//! `--from otel`.

use std::path::Path;

use futures_util::future::BoxFuture;

use super::otel_file::OtelFile;
use crate::verify::trace_file::{TraceContext, TraceError, TraceFile};
use crate::verify::trace_format::TraceFormat;
use ananke_engine::observed::ObservedConversation;
use ananke_trace::outcome::Problem;

/// Traces of OpenTelemetry.
pub(in crate::verify) struct OtelFormat;

impl TraceFormat for OtelFormat {
    fn name(&self) -> &'static str {
        "otel"
    }

    fn open(
        &self,
        path: &Path,
        shown: &str,
        _: &TraceContext,
    ) -> Result<Box<dyn TraceFile>, TraceError> {
        Ok(Box::new(OtelFile::open(path, shown)?))
    }
}

impl TraceFile for OtelFile {
    fn ids(&self) -> Vec<String> {
        OtelFile::ids(self)
    }

    fn notes(&self) -> &[String] {
        &self.notes
    }

    fn conversation(&self, index: usize) -> BoxFuture<'_, Result<ObservedConversation, Problem>> {
        Box::pin(std::future::ready(OtelFile::conversation(self, index)))
    }
}
