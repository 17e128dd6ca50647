//! Sentences that readers quoted as hard to read: each page has as many of them as `quoted_sentences.txt` says, and a number
//! there only falls.

use std::collections::BTreeMap;

const LIST: &str = include_str!("quoted_sentences.txt");

/// The problems of the pages, each a path and its text.
pub(crate) fn wrong(pages: &BTreeMap<&str, &str>) -> Vec<String> {
    let (counts, quotes) = LIST.split_once("\n\n").expect("counts, and quotes");
    let mut allowed: BTreeMap<&str, usize> = counts
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split_once(' ').expect("a number and a page"))
        .map(|(count, page)| (page, count.parse().expect("a number")))
        .collect();
    let mut problems = Vec::new();
    for (page, text) in pages {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let found: Vec<&str> = quotes
            .lines()
            .filter(|quote| text.contains(quote))
            .collect();
        let count: usize = found.iter().map(|quote| text.matches(quote).count()).sum();
        let most = allowed.remove(page).unwrap_or_default();
        if count != most {
            problems.push(format!("{page}: {count} instead of {most}: {found:?}"));
        }
    }
    problems.extend(
        allowed
            .keys()
            .map(|page| format!("{page}: there is no such page")),
    );
    problems
}
