//! The meaning of a name: the code of a problem or a rule of a protocol, with a wrong example and a right one, or a key of a
//! file; and the words that reports and pages use, from the page of them.

use std::fmt::Write as _;

use ananke::agents::RuleDocs;
use ananke::diagnostic::{Code, Example, ExampleFile};
use ananke::schema::{FileKind, KeyDocs};
use ananke::text::any_of;

use super::layout::{Colours, styled, wrapped};

/// The names that can be explained.
pub(super) enum ExplainedName {
    /// A word of reports and pages.
    Entry(GlossaryEntry),
    /// A command: its name, and what it does.
    Command(String, String),
    /// The code of a problem with a file.
    Code(Code),
    /// A rule about the events of an agent.
    Rule(RuleDocs),
    /// A key of a config or test file.
    Key(KeyDocs),
}

impl ExplainedName {
    /// The meanings of this name, what is used most first; of keys there may be several.
    pub(super) fn find(name: &str, commands: &[(String, String)]) -> Vec<Self> {
        let mut found: Vec<Self> = Self::all(commands)
            .filter(|known| match known {
                Self::Key(key) => key.is_called(name),
                // Reports for programs write `not_shown`.
                known => known.as_str() == name || known.as_str() == name.replace('_', " "),
            })
            .collect();
        if found.is_empty() && name.contains('.') {
            let keys = KeyDocs::all().into_iter();
            found = keys
                .filter(|key| key.is_within(name))
                .map(Self::Key)
                .collect();
        }
        found.sort_by_key(Self::rank);
        found
    }

    /// The place of a meaning among those of one name: a key of rules is used more often than one of settings, and a short way to
    /// a key more often than a long one.
    fn rank(&self) -> (bool, bool, usize) {
        match self {
            Self::Key(key) => (
                true,
                !key.path.starts_with("assert"),
                key.path.matches('.').count(),
            ),
            _ => (false, false, 0),
        }
    }

    /// Everything that has a name; `commands` are those of the program, each with what it does.
    pub(super) fn all(commands: &[(String, String)]) -> impl Iterator<Item = Self> {
        let codes = Code::ALL.iter().copied().map(Self::Code);
        let commands = commands
            .iter()
            .map(|(name, about)| Self::Command(name.clone(), about.clone()));
        words()
            .map(Self::Entry)
            .chain(commands)
            .chain(codes)
            .chain(RuleDocs::all().map(Self::Rule))
            .chain(KeyDocs::all().into_iter().map(Self::Key))
    }

    pub(super) fn as_str(&self) -> &str {
        match self {
            Self::Entry(word) => word.word,
            Self::Command(name, _) => name,
            Self::Code(code) => code.as_str(),
            Self::Rule(rule) => rule.name,
            Self::Key(key) => key.name,
        }
    }

    /// The text about it, in lines that fit the terminal.
    pub(super) fn text(&self, colours: Colours, terminal: Option<usize>) -> String {
        let (about, examples) = match self {
            Self::Code(code) => {
                let explained = code.docs();
                (explained.about, explained.example.into())
            }
            Self::Rule(RuleDocs {
                about,
                wrong,
                right,
                ..
            }) => (
                about.clone(),
                Examples::Pair("the events of a response", wrong.clone(), right.clone()),
            ),
            Self::Key(key) => return key_text(key, colours, terminal),
            Self::Entry(word) => {
                return format!(
                    "{}\n\n{}\npage:    docs/{}\n",
                    styled(colours.strong, word.word),
                    wrapped(word.about, terminal),
                    word.page
                );
            }
            Self::Command(name, about) => {
                return format!(
                    "{}\n\n{}\nhelp:    ananke {name} -h\n",
                    styled(colours.strong, &format!("ananke {name}")),
                    wrapped(&format!("{about}."), terminal)
                );
            }
        };
        let mut text = format!(
            "{}\n\n{}",
            styled(colours.strong, self.as_str()),
            wrapped(&about, terminal)
        );
        let blocks = match examples {
            Examples::Pair(what, wrong, right) => vec![
                (format!("{}, {what}", styled(colours.wrong, "wrong")), wrong),
                (format!("{}, {what}", styled(colours.right, "right")), right),
            ],
            Examples::Output(lines) => vec![("example".to_owned(), lines)],
        };
        for (heading, lines) in blocks {
            let _ = writeln!(text, "\n{heading}:\n");
            for line in lines {
                let _ = writeln!(text, "{}", format!("    {line}").trim_end());
            }
        }
        text
    }
}

/// The examples of a name.
enum Examples {
    /// The wrong and the right ones, of this kind.
    Pair(&'static str, Vec<&'static str>, Vec<&'static str>),
    /// A command and what it prints.
    Output(Vec<&'static str>),
}

impl From<Example> for Examples {
    fn from(example: Example) -> Self {
        let lines = |text: &'static str| text.lines().collect::<Vec<_>>();
        match example {
            Example::File { file, wrong, right } => {
                let what = match file {
                    ExampleFile::Config => "an `ananke.config.yaml`",
                    ExampleFile::Test => "a test file",
                };
                Self::Pair(what, lines(wrong), lines(right))
            }
            Example::Output(output) => Self::Output(lines(output)),
        }
    }
}

/// The text about a key.
fn key_text(key: &KeyDocs, colours: Colours, terminal: Option<usize>) -> String {
    let file = match key.file {
        FileKind::Config => "config",
        FileKind::Test => "test file",
        FileKind::Case => "case of a JSONL file",
        FileKind::Script => "script of a model",
    };
    let types: Vec<String> = key
        .types
        .iter()
        .map(|name| format!("`type: {name}`"))
        .collect();
    let types = if types.is_empty() {
        String::new()
    } else {
        format!(", with {}", any_of(&types))
    };
    let mut text = format!(
        "{}  ({file}{types})\n\n{}",
        styled(colours.strong, &key.path),
        wrapped(key.about, terminal)
    );
    let _ = write!(text, "\nvalue:   {}\nsince:   {}\n", key.value, key.since);
    if let Some(example) = &key.example {
        let _ = writeln!(text, "example: {}: {example}", key.name);
    }
    text
}

/// The page, of which each row of a table is a word.
const PAGE: &str = include_str!("../../../../docs/glossary.md");

/// A word, and what it means.
#[derive(Clone, Copy, Debug)]
pub(super) struct GlossaryEntry {
    pub(super) word: &'static str,
    /// A few sentences.
    pub(super) about: &'static str,
    /// The file of the page about it.
    pub(super) page: &'static str,
}

/// Every word, in the order of the page.
pub(super) fn words() -> impl Iterator<Item = GlossaryEntry> {
    PAGE.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ");
        let (word, about, link) = (cells.next()?, cells.next()?, cells.next()?);
        let page = link.strip_prefix('[')?.split(']').next()?;
        Some(GlossaryEntry { word, about, page })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ananke::assertion::rule_paths;
    use ananke::outcome::{ErrorKind, InputOrigin, InputReason, Level, Status, StatusChange};

    #[test]
    fn every_word_of_a_report_is_explained() {
        ananke::install();
        let rules = rule_paths().map(str::to_owned);
        let statuses = Status::ALL.iter().map(|status| status.as_str());
        let words = Status::ALL.iter().map(|status| status.words());
        let changes = StatusChange::ALL.iter().map(|change| change.as_str());
        let kinds = ErrorKind::ALL.iter().map(|kind| kind.as_str());
        let levels = Level::ALL.iter().map(|level| level.as_str());
        let reasons = InputReason::ALL.iter().map(|reason| reason.as_str());
        let origins = InputOrigin::ALL.iter().map(|origin| origin.as_str());
        let codes = Code::ALL.iter().map(|code| code.as_str());
        let others = ["unread", "cause", "awaits", "interrupted", "flaky", "new"];
        let unexplained: Vec<String> = statuses
            .chain(words)
            .chain(changes)
            .chain(kinds)
            .chain(levels)
            .chain(reasons)
            .chain(origins)
            .chain(codes)
            .chain(others)
            .map(str::to_owned)
            .chain(rules)
            .filter(|word| ExplainedName::find(word, &[]).is_empty())
            .collect();
        assert_eq!(unexplained, [""; 0]);
    }

    #[test]
    fn every_row_is_a_word() {
        let rows = PAGE.lines().filter(|line| line.starts_with("| ")).count();
        let headings = PAGE.matches("| word | meaning | page |").count();
        assert_eq!(words().count(), rows - headings);
        assert!(words().any(|word| word.word == "timeout" && word.page == "guide.md"));
    }
}
