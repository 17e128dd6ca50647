//! What a name means that a message gives, with a wrong example and a right one: the code of a problem, or a rule of a
//! protocol.

use std::fmt::Write as _;

use ananke::diagnostic::{Code, ExampleFile};
use ananke::target::RuleDocs;

use super::layout::{Colours, styled, wrapped};

/// What can be explained.
pub(super) enum ExplainedName {
    /// The code of a problem with a file.
    Code(Code),
    /// A rule about the events of an agent.
    Rule(RuleDocs),
}

impl ExplainedName {
    /// What has this name.
    pub(super) fn find(name: &str) -> Option<Self> {
        Self::all().find(|known| known.as_str() == name)
    }

    /// Everything that has a name.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let codes = Code::ALL.iter().copied().map(Self::Code);
        codes.chain(RuleDocs::all().map(Self::Rule))
    }

    pub(super) fn as_str(&self) -> &'static str {
        match self {
            Self::Code(code) => code.as_str(),
            Self::Rule(rule) => rule.name,
        }
    }

    /// The text about it, in lines that fit the terminal.
    pub(super) fn text(&self, colours: Colours, terminal: Option<usize>) -> String {
        let (about, examples) = match self {
            Self::Code(code) => {
                let explained = code.docs();
                let file = explained.example.map(|example| match example.file {
                    ExampleFile::Config => ("an `ananke.config.yaml`", example),
                    ExampleFile::Test => ("a test file", example),
                });
                let examples = file.map(|(file, example)| {
                    (file, example.wrong.lines().collect::<Vec<_>>(), example.right.lines().collect())
                });
                (explained.about, examples)
            }
            Self::Rule(RuleDocs { about, wrong, right, .. }) => {
                (about.clone(), Some(("the events of an answer", wrong.clone(), right.clone())))
            }
        };
        let mut text = format!("{}\n\n{}", styled(colours.strong, self.as_str()), wrapped(&about, terminal));
        let Some((what, wrong, right)) = examples else { return text };
        for (style, word, lines) in [(colours.wrong, "wrong", wrong), (colours.right, "right", right)] {
            let _ = writeln!(text, "\n{}, {what}:\n", styled(style, word));
            for line in lines {
                let _ = writeln!(text, "    {line}");
            }
        }
        text
    }
}
