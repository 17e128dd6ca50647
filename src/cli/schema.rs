//! `ananke schema`: the JSON Schemas that editors read.

use std::io::Write as _;

use ananke::model::VERSIONS;
use ananke::schema::{FileKind, pruned, text};

use super::arguments::{SchemaFile, SchemaOptions};
use super::exit::Exit;

/// Prints the schema of one kind of file.
pub(super) fn schema(options: &SchemaOptions) -> Exit {
    let kind = match options.file {
        SchemaFile::Config => FileKind::Config,
        SchemaFile::Test => FileKind::Test,
    };
    let newest = VERSIONS.last().copied().unwrap_or_default();
    let version = options.schema_version.as_deref().unwrap_or(newest);
    if !VERSIONS.contains(&version) {
        let _ = writeln!(
            std::io::stderr().lock(),
            "error: there is no schema version `{version}`; there are {}",
            VERSIONS.join(", ")
        );
        return Exit::Usage;
    }
    let _ = write!(std::io::stdout().lock(), "{}", text(&pruned(kind, version)));
    Exit::Success
}
