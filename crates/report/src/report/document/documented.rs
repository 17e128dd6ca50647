//! The result of a command, in the form that its document needs.

use std::io;

use schemars::JsonSchema;
use serde::Serialize;

use super::document_text::DocumentText;
use ananke_model::model::ReportFormat;

/// The result of a command. Everything in it is masked.
pub trait Documented {
    /// The word in `type`: the name of the command and of the schema.
    const NAME: &'static str;
    /// The version that brought the fields of the body.
    const SINCE: &'static str = "1.1";
    /// The formats that [`file`](Self::file) can write.
    const FORMATS: &'static [ReportFormat] = &[];
    /// The counts in `summary`.
    type Counts: Serialize + JsonSchema;
    /// The fields behind `summary`.
    type Body<'b>: Serialize + JsonSchema
    where
        Self: 'b;

    /// The counts in `summary`.
    fn counts(&self) -> Self::Counts;

    /// The fields behind `summary`.
    fn body(&self) -> Self::Body<'_>;

    /// Writes everything for people but the conclusion.
    fn write(&self, text: &mut DocumentText);

    /// The document in another format than JSON.
    ///
    /// # Errors
    /// If the format is none of [`FORMATS`](Self::FORMATS), or cannot be written.
    fn file(&self, format: ReportFormat) -> io::Result<Vec<u8>> {
        Err(Self::not_a_format(format))
    }

    /// The error of a format that the document cannot be written in.
    fn not_a_format(format: ReportFormat) -> io::Error {
        let (name, format) = (Self::NAME, format.name());
        io::Error::other(format!("`{name}` writes no report in the format {format}"))
    }
}
