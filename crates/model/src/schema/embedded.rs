//! The committed schemas with which the program checks files, and which it carries with it.

use std::sync::OnceLock;

use serde_json::Value;

/// The kind of file that a schema describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// `ananke.config.yaml`.
    Config,
    /// A test file.
    Test,
    /// A case of a JSONL file. It has no version: it may use everything.
    Case,
    /// The script of a model. It has no config: without a version, it may use everything.
    Script,
}

impl FileKind {
    /// Every kind that declares a version.
    pub const ALL: &'static [Self] = &[Self::Config, Self::Test];

    /// Every kind, whether it declares a version or not.
    pub const EVERY: &'static [Self] = &[Self::Config, Self::Test, Self::Case, Self::Script];

    /// The name by which people ask for the schema, and its file's: `config`, `test`, `case`, `script`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Config => "config",
            Self::Test => "test",
            Self::Case => "case",
            Self::Script => "script",
        }
    }

    /// The name of such a file in a schema's title.
    pub fn title(self) -> &'static str {
        match self {
            Self::Config => "ananke project config",
            Self::Test => "ananke test file",
            Self::Case => "ananke case of a JSONL file",
            Self::Script => "ananke script of a model",
        }
    }
}

/// The committed schema of a kind of file.
pub fn embedded(kind: FileKind) -> &'static Value {
    static CONFIG: OnceLock<Value> = OnceLock::new();
    static TEST: OnceLock<Value> = OnceLock::new();
    static CASE: OnceLock<Value> = OnceLock::new();
    static SCRIPT: OnceLock<Value> = OnceLock::new();
    let cell = match kind {
        FileKind::Config => &CONFIG,
        FileKind::Test => &TEST,
        FileKind::Case => &CASE,
        FileKind::Script => &SCRIPT,
    };
    // A test holds that the committed text is what the types make; it always parses.
    cell.get_or_init(|| serde_json::from_str(committed(kind)).unwrap_or(Value::Bool(true)))
}

/// The committed JSON Schemas of the files that people write, as text.
#[derive(Clone, Copy, Debug)]
pub struct CommittedSchemas {
    /// The schema of `ananke.config.yaml`.
    pub config: &'static str,
    /// The schema of a test file.
    pub test: &'static str,
    /// The schema of a case of a JSONL file.
    pub case: &'static str,
    /// The schema of the script of a model.
    pub script: &'static str,
}

static INSTALLED: OnceLock<CommittedSchemas> = OnceLock::new();

/// Makes these the schemas of the program's files. The first call counts.
pub fn install(schemas: CommittedSchemas) {
    INSTALLED.get_or_init(|| schemas);
}

#[cfg(not(test))]
fn installed() -> CommittedSchemas {
    *INSTALLED
        .get()
        .expect("a program installs its schemas before it reads a file")
}

#[cfg(test)]
fn installed() -> CommittedSchemas {
    CommittedSchemas {
        config: include_str!("../../../../schema/program/config.json"),
        test: include_str!("../../../../schema/program/test.json"),
        case: include_str!("../../../../schema/program/case.json"),
        script: include_str!("../../../../schema/program/script.json"),
    }
}

/// Its text.
pub(super) fn committed(kind: FileKind) -> &'static str {
    let schemas = installed();
    match kind {
        FileKind::Config => schemas.config,
        FileKind::Test => schemas.test,
        FileKind::Case => schemas.case,
        FileKind::Script => schemas.script,
    }
}
