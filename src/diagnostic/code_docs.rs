//! What one code means: a few sentences and an example, read from the code's page in `docs/`.

/// What a code means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeDocs {
    /// A few sentences.
    pub about: String,
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

impl CodeDocs {
    /// Reads a page: sentences, then `## Wrong config` or `## Wrong test file` and `## Right …`, each with a block of YAML.
    pub(super) fn parse(page: &'static str) -> Self {
        let mut blocks = page.split("```");
        let heading = blocks.next().unwrap_or_default();
        let (about, what) = heading.split_once("\n## Wrong ").unwrap_or((heading, ""));
        let file = if what.starts_with("config") { ExampleFile::Config } else { ExampleFile::Test };
        let mut yaml = blocks.filter_map(|block| block.strip_prefix("yaml\n"));
        let example = yaml.next().zip(yaml.next()).map(|(wrong, right)| Example { file, wrong, right });
        Self { about: about.split_whitespace().collect::<Vec<_>>().join(" "), example }
    }
}
