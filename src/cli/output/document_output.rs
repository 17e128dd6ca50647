//! The one way of a document to standard output and to files, and what such a file is.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;

use super::{ForceOption, OutputFiles, OutputKind, named_path};
use crate::cli::frame::{Colour, Exit, Failed, colouring, print};
use ananke::context::{Context, OutputStream, TerminalSize, write_file};
use ananke::model::ReportFormat;
use ananke::report::file::not_written;
use ananke::report::{CommandDocument, DocumentText, Documented};

/// The places that a document goes to.
pub(crate) struct DocumentOutput<'a> {
    pub(crate) form: DocumentForm,
    pub(crate) colour: Colour,
    /// Files in addition to standard output.
    pub(crate) files: &'a [DocumentFile],
    pub(crate) force: ForceOption,
    pub(crate) context: &'a Context,
}

/// The form of a document on standard output.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct DocumentForm {
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

impl DocumentOutput<'_> {
    /// The text of a document, of which nothing is written.
    pub(crate) fn text(&self) -> DocumentText {
        DocumentText::new(
            colouring(self.colour, OutputStream::Stdout, self.context),
            TerminalSize::width(self.context.size_of(OutputStream::Stdout)),
        )
    }

    /// Writes the files and prints the document. The exit code is that of its conclusion.
    ///
    /// # Errors
    /// If it cannot be written or printed.
    pub(crate) fn write<D: Documented>(
        &self,
        document: &CommandDocument<'_, D>,
    ) -> Result<Exit, Failed> {
        let mut text = self.text();
        document.found.write(&mut text);
        self.write_rest(document, text)
    }

    /// The same, where `text` has the document for people, but for its conclusion.
    ///
    /// # Errors
    /// If it cannot be written or printed.
    pub(crate) fn write_rest<D: Documented>(
        &self,
        document: &CommandDocument<'_, D>,
        text: DocumentText,
    ) -> Result<Exit, Failed> {
        self.write_files(document)?;
        let text = if self.form.json {
            document.json().map_err(io::Error::from)?
        } else {
            document.end(text)
        };
        print(|out| out.write_all(text.as_bytes()))?;
        Ok(Exit::of_number(document.conclusion.exit_code))
    }

    /// Checks that the files may be written, before the work.
    ///
    /// # Errors
    /// The first that may not.
    pub(crate) fn check(&self) -> Result<(), Failed> {
        let files = self.files.iter().map(DocumentFile::named);
        OutputFiles::of(self.context, self.force).check_named(files, self.context)
    }

    fn write_files<D: Documented>(&self, document: &CommandDocument<'_, D>) -> Result<(), Failed> {
        self.check()?;
        for file in self.files {
            let (path, shown) = named_path(&file.path, self.context);
            let bytes = match file.format {
                ReportFormat::Json => document.json().map(String::into_bytes).map_err(Into::into),
                format => document.found.file(format),
            };
            bytes
                .and_then(|bytes| write_file(&path, &bytes))
                .map_err(|error| not_written(&shown, &path, &error))?;
        }
        Ok(())
    }
}

/// A file that a document is written to.
#[derive(Clone, Debug)]
pub(crate) struct DocumentFile {
    pub(crate) path: PathBuf,
    pub(crate) format: ReportFormat,
}

impl DocumentFile {
    /// The file as it is named, and its kind.
    pub(crate) fn named(&self) -> (&Path, OutputKind) {
        (&self.path, OutputKind::Report(self.format))
    }

    /// Takes a path whose extension names a format of the document.
    pub(crate) fn parse<D: Documented>(text: &str) -> Result<Self, String> {
        let path = PathBuf::from(text);
        let format = ReportFormat::of(&path).filter(|format| D::FORMATS.contains(format));
        match format {
            Some(format) => Ok(Self { path, format }),
            None => Err(extensions_in_words(
                D::FORMATS.iter().map(|format| format.extension()),
            )),
        }
    }
}

/// The error of a file whose extension is none of these.
pub(crate) fn extensions_in_words(extensions: impl Iterator<Item = &'static str>) -> String {
    let mut extensions: Vec<String> = extensions
        .map(|extension| format!("`.{extension}`"))
        .collect();
    let last = extensions.pop().unwrap_or_default();
    let or = if extensions.is_empty() { "" } else { " or " };
    let others = extensions.join(", ");
    format!("the file extension names the format: {others}{or}{last}")
}
