//! The words that reports and pages use, from the page of them.

/// The page, of which each row of a table is a word.
const PAGE: &str = include_str!("../../../docs/glossary.md");

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

    #[test]
    fn every_row_is_a_word() {
        let rows = PAGE.lines().filter(|line| line.starts_with("| ")).count();
        let headings = PAGE.matches("| word | meaning | page |").count();
        assert_eq!(words().count(), rows - headings);
        assert!(words().any(|word| word.word == "timeout" && word.page == "guide.md"));
    }
}
