//! The meaning of the rules of protocols for the order of events, with examples.

use super::registry::protocols;

/// The meaning of one rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleDocs {
    /// Its name.
    pub name: &'static str,
    /// A few sentences.
    pub about: String,
    /// The events of a response that violates this rule, and no other.
    pub wrong: Vec<&'static str>,
    /// The events of a similar response that violates none.
    pub right: Vec<&'static str>,
}

impl RuleDocs {
    /// The rules of all protocols.
    pub fn all() -> impl Iterator<Item = Self> {
        protocols()
            .iter()
            .flat_map(|protocol| Self::of(protocol.rules))
    }

    /// The rules of a page.
    pub fn of(page: &'static str) -> impl Iterator<Item = Self> {
        page.split("\n### `").skip(1).map(Self::parse)
    }

    /// Reads the section of a rule: its name, sentences, and two blocks of JSON with one event a line.
    fn parse(section: &'static str) -> Self {
        let (name, section) = section.split_once('`').unwrap_or((section, ""));
        let mut blocks = section.split("```");
        let heading = blocks.next().unwrap_or_default();
        // What comes last before a block says what the block shows.
        let about = heading
            .trim_end()
            .rsplit_once("\n\n")
            .map_or(heading, |(about, _)| about);
        let mut events = blocks
            .filter_map(|block| block.strip_prefix("json\n"))
            .map(|events| events.lines().collect());
        Self {
            name,
            about: about.split_whitespace().collect::<Vec<_>>().join(" "),
            wrong: events.next().unwrap_or_default(),
            right: events.next().unwrap_or_default(),
        }
    }
}
