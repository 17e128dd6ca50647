//! `ananke schema`: the JSON Schemas that editors read.

use ananke::compare::Comparison;
use ananke::context::Context;
use ananke::model::VERSIONS;
use ananke::outcome::audit::Audit;
use ananke::outcome::contract::ContractReport;
use ananke::outcome::coverage::CoverageReport;
use ananke::report::{MutationDocument, document_schema};
use ananke::run_document;
use ananke::schema::{FileKind, Version, embedded, for_editors, pruned, text};
use clap::{Args, ValueEnum};

use crate::cli::frame::{CommandOptions, Exit, Failed, print};

#[derive(Debug, Args)]
pub(crate) struct SchemaOptions {
    /// The kind of file
    #[arg(value_enum)]
    pub(crate) file: SchemaFile,
    /// Limit to keys known in this schema version
    #[arg(long, value_name = "V")]
    pub(crate) schema_version: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaFile {
    /// `ananke.config.yaml`
    Config,
    /// A test file
    Test,
    /// A case of a JSONL file
    Case,
    /// The script of a model
    Script,
    /// What `run --json` prints and `-o FILE.json` writes
    Report,
    /// What `audit --json` prints
    Audit,
    /// What `compare --json` prints
    #[value(alias = "comparison")]
    Compare,
    /// What `contract --json` prints
    Contract,
    /// What `coverage --json` prints
    Coverage,
    /// What `mutate --json` prints
    Mutate,
    /// The lines of `session --stdio`
    Session,
}

impl CommandOptions for SchemaOptions {
    /// Prints the schema of one kind of file.
    fn run(&self, _: &Context) -> Result<Exit, Failed> {
        let version = match self.schema_version.as_deref() {
            None => Version::newest(),
            Some(text) => Version::parse(text)
                .filter(|_| VERSIONS.contains(&text))
                .ok_or_else(|| {
                    let known = VERSIONS.join(", ");
                    Failed::usage(format!(
                        "there is no schema version `{text}`; there are {known}"
                    ))
                })?,
        };
        let schema = match self.file {
            SchemaFile::Config => for_editors(FileKind::Config, &pruned(FileKind::Config, version)),
            SchemaFile::Test => for_editors(FileKind::Test, &pruned(FileKind::Test, version)),
            // What has no version is there in all of them.
            SchemaFile::Case => for_editors(FileKind::Case, embedded(FileKind::Case)),
            SchemaFile::Script => for_editors(FileKind::Script, embedded(FileKind::Script)),
            SchemaFile::Report => run_document::schema(),
            SchemaFile::Audit => document_schema::<Audit>(),
            SchemaFile::Compare => document_schema::<Comparison>(),
            SchemaFile::Contract => document_schema::<ContractReport>(),
            SchemaFile::Coverage => document_schema::<CoverageReport>(),
            SchemaFile::Mutate => document_schema::<MutationDocument<'static>>(),
            SchemaFile::Session => crate::cli::session::schema(),
        };
        print(|out| out.write_all(text(&schema).as_bytes()))?;
        Ok(Exit::Success)
    }
}
