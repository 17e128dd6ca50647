//! What one code means: a few sentences and an example.

/// What a code means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeDocs {
    /// A few sentences.
    pub about: &'static str,
    /// A file with the problem and the same without it, where a file can show it.
    pub example: Option<Example>,
}

/// A wrong file and the right one, both complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// Which file it is.
    pub file: ExampleFile,
    /// With the problem, and no other.
    pub wrong: &'static str,
    /// Without it.
    pub right: &'static str,
}

/// Which file an example is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExampleFile {
    /// The project config.
    Config,
    /// A test file.
    Test,
}

pub(super) const fn told(about: &'static str) -> CodeDocs {
    CodeDocs { about, example: None }
}

pub(super) const fn of_test(about: &'static str, wrong: &'static str, right: &'static str) -> CodeDocs {
    CodeDocs { about, example: Some(Example { file: ExampleFile::Test, wrong, right }) }
}

pub(super) const fn of_config(about: &'static str, wrong: &'static str, right: &'static str) -> CodeDocs {
    CodeDocs { about, example: Some(Example { file: ExampleFile::Config, wrong, right }) }
}
