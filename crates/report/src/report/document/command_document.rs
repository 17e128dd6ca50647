//! A document as programs read it, `{version, type, run, summary, …}`, and as people do.
//!
//! The doc comments are the descriptions of the schemas. A field without a value is omitted, never null.

use std::io;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Conclusion, DocumentText};
use ananke_base::context::Colouring;
use ananke_base::text::escape;
use ananke_model::model::ReportFormat;
use ananke_model::schema::generate_written;
use ananke_trace::outcome::RunFacts;
use ananke_trace::redact::Sealed;

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

/// The version of all of these documents. New fields raise its second number; a change of what a field means raises its first.
const VERSION: &str = "1.1";

/// The result of a command, and the facts of the run.
pub struct CommandDocument<'a, D> {
    /// The facts of the run.
    pub facts: &'a Sealed<RunFacts>,
    /// The content.
    pub found: &'a D,
    /// The exit code that follows from it, and why.
    pub conclusion: Conclusion,
}

impl<D: Documented> CommandDocument<'_, D> {
    /// The document as one line of JSON, with its line feed.
    ///
    /// # Errors
    /// None that a document can bring about.
    pub fn json(&self) -> serde_json::Result<String> {
        let view = DocumentView {
            version: VERSION,
            kind: D::NAME,
            run: self.facts,
            summary: DocumentSummary {
                counts: self.found.counts(),
                exit_code: self.conclusion.exit_code,
                reason: &self.conclusion.reason,
            },
            body: self.found.body(),
        };
        let json = serde_json::to_string(&view)?;
        Ok(escape::json(&json).into_owned() + "\n")
    }

    /// The document for people, wrapped if there is a width.
    pub fn text(&self, colour: Colouring, width: Option<usize>) -> String {
        let mut text = DocumentText::new(colour, width);
        self.found.write(&mut text);
        self.end(text)
    }

    /// The rest of a text of which a part is printed already.
    pub fn end(&self, mut text: DocumentText) -> String {
        text.conclude(D::NAME, &self.conclusion);
        text.take()
    }
}

/// The JSON Schema of a document.
pub fn document_schema<D: Documented + 'static>() -> Value {
    let title = format!("ananke {}", D::NAME);
    let mut schema = generate_written::<ViewOf<'static, D>>(D::NAME, &title, D::SINCE);
    schema["description"] = format!("What `ananke {} --json` prints.", D::NAME).into();
    schema["properties"]["type"]["const"] = D::NAME.into();
    let facts = schema["definitions"]["Run"]["properties"].as_object_mut();
    for fact in facts.into_iter().flat_map(|facts| facts.values_mut()) {
        fact["x-since"] = VERSION.into();
    }
    schema
}

/// The document of what `D` is.
type ViewOf<'a, D> = DocumentView<'a, <D as Documented>::Counts, <D as Documented>::Body<'a>>;

/// The document of a command.
#[derive(Debug, Serialize, JsonSchema)]
struct DocumentView<'a, C: Serialize, B: Serialize> {
    /// The version of the format, `MAJOR.MINOR`. A reader that knows 1.0 can read every 1.x.
    version: &'static str,
    /// The command that the document is of.
    #[serde(rename = "type")]
    #[schemars(extend("x-since" = "1.1"))]
    kind: &'static str,
    /// The facts of the run: the command, its project and the job of a CI server.
    #[schemars(extend("x-since" = "1.1"))]
    run: &'a RunFacts,
    /// The counts, and what follows from them.
    #[schemars(extend("x-since" = "1.1"))]
    summary: DocumentSummary<'a, C>,
    #[serde(flatten)]
    body: B,
}

/// The counts, and what follows from them.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Summary")]
struct DocumentSummary<'a, C: Serialize> {
    #[serde(flatten)]
    counts: C,
    /// The resulting exit code.
    #[schemars(extend("x-since" = "1.1"))]
    exit_code: u8,
    /// The reason for the exit code, as text.
    #[schemars(extend("x-since" = "1.1"))]
    reason: &'a str,
}
