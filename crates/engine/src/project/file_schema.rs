//! The schemas of the files of a project, from their types.

use serde_json::Value;

use super::config_file::ConfigFile;
use ananke_model::model::{CaseLine, TestFile};
use ananke_model::schema::{FileKind, generate_of};

/// The schema of a kind of file, newest version, draft-07 (which every editor's YAML support reads).
pub fn file_schema(kind: FileKind) -> Value {
    match kind {
        FileKind::Config => generate_of::<ConfigFile>(kind.as_str(), kind.title()),
        FileKind::Test => generate_of::<TestFile>(kind.as_str(), kind.title()),
        FileKind::Case => generate_of::<CaseLine>(kind.as_str(), kind.title()),
    }
}
