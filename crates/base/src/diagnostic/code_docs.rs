//! The meaning of one code: a few sentences and an example, read from the code's page in `docs/`.

/// The meaning of a code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeDocs {
    /// A few sentences.
    pub about: String,
    /// An example.
    pub example: Example,
}

/// An example of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Example {
    /// A wrong file and the right one, both complete.
    File {
        /// The kind of the file.
        file: ExampleFile,
        /// With the problem, and no other.
        wrong: &'static str,
        /// Without it.
        right: &'static str,
    },
    /// A command and what it prints, if no file shows the problem by itself.
    Output(&'static str),
}

/// The kind of file that an example is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExampleFile {
    /// The project config.
    Config,
    /// A test file.
    Test,
}

impl CodeDocs {
    /// Reads a page: sentences, then `## Wrong config` or `## Wrong test file` and `## Right …`, each with a block of YAML; or
    /// `## Example` with a block of console output.
    pub(super) fn parse(page: &'static str) -> Self {
        let mut blocks = page.split("```");
        let heading = blocks.next().unwrap_or_default();
        let (about, what) = heading.split_once("\n## ").unwrap_or((heading, ""));
        let file = if what.starts_with("Wrong config") {
            ExampleFile::Config
        } else {
            ExampleFile::Test
        };
        let mut blocks = blocks.step_by(2).filter_map(|block| block.split_once('\n'));
        let mut next = || blocks.next().map_or("", |(_, block)| block);
        let first = next();
        let example = if what.starts_with("Example") {
            Example::Output(first)
        } else {
            Example::File {
                file,
                wrong: first,
                right: next(),
            }
        };
        Self {
            about: about.split_whitespace().collect::<Vec<_>>().join(" "),
            example,
        }
    }
}
