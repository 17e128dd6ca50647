//! Every link of the documents leads somewhere: the file exists, and so does the heading after `#`; and every page can be
//! found by links from the README.
//!
//! Headings have the anchors that GitHub gives them. Links to other sites are not followed.

use std::collections::{BTreeMap, BTreeSet};

/// The lines of `page` that are text, numbered from 1: blocks of code are left out.
pub(crate) fn prose(page: &str) -> Vec<(usize, &str)> {
    let mut fence: Option<&str> = None;
    let mut found = Vec::new();
    for (index, line) in page.lines().enumerate() {
        let trimmed = line.trim();
        let ticks = &trimmed[..trimmed.len() - trimmed.trim_start_matches('`').len()];
        match fence {
            Some(open) if trimmed == open => fence = None,
            Some(_) => {}
            None if ticks.len() >= 3 => fence = Some(ticks),
            None => found.push((index + 1, line)),
        }
    }
    found
}

/// The anchors of the headings of `page`. A repeated one gets a number.
fn anchors(page: &str) -> BTreeSet<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut found = BTreeSet::new();
    for (_, line) in prose(page) {
        let text = line.trim_start_matches('#');
        let (true, Some(heading)) = (line.starts_with('#'), text.strip_prefix(' ')) else {
            continue;
        };
        let kept = heading
            .trim()
            .chars()
            .filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
        let anchor: String = kept
            .flat_map(char::to_lowercase)
            .map(|c| if c == ' ' { '-' } else { c })
            .collect();
        let count = seen
            .entry(anchor.clone())
            .and_modify(|count| *count += 1)
            .or_default();
        found.insert(if *count == 0 {
            anchor
        } else {
            format!("{anchor}-{count}")
        });
    }
    found
}

/// The targets of the links in `page` that stay in the repository, each with its line.
fn links(page: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (number, line) in prose(page) {
        let targets = line
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split_once(')'));
        let targets = targets
            .map(|(target, _)| target)
            .filter(|target| !target.contains("://"));
        found.extend(targets.map(|target| (number, target)));
    }
    found
}

/// `target`, which is relative to the page `from`, as a path from the root.
fn resolve(from: &str, target: &str) -> String {
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.trim_end_matches('/').split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." | "" => {}
            name => parts.push(name),
        }
    }
    parts.join("/")
}

/// The links of `pages` (by path) that lead nowhere, and the pages that no link leads to. `exists` knows all files and
/// folders.
pub(crate) fn wrong(pages: &BTreeMap<&str, &str>, exists: impl Fn(&str) -> bool) -> Vec<String> {
    let anchors: BTreeMap<&str, BTreeSet<String>> = pages
        .iter()
        .map(|(path, page)| (*path, anchors(page)))
        .collect();
    let mut problems = Vec::new();
    let mut leads_to: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (path, page) in pages {
        for (line, target) in links(page) {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let file = if file.is_empty() {
                (*path).to_owned()
            } else {
                resolve(path, file)
            };
            if !exists(&file) {
                problems.push(format!("{path}:{line}: `{target}`: there is no `{file}`"));
            } else if !anchor.is_empty()
                && !anchors
                    .get(file.as_str())
                    .is_some_and(|anchors| anchors.contains(anchor))
            {
                problems.push(format!(
                    "{path}:{line}: `{target}`: `{file}` has no heading `#{anchor}`"
                ));
            }
            leads_to.entry(path).or_default().insert(file);
        }
    }
    let mut reached = BTreeSet::new();
    let mut next = vec!["README.md".to_owned()];
    while let Some(path) = next.pop() {
        let further = leads_to.get(path.as_str()).into_iter().flatten().cloned();
        next.extend(further.filter(|path| !reached.contains(path)));
        reached.insert(path);
    }
    let lost = pages
        .keys()
        .filter(|path| path.starts_with("docs/") && !reached.contains(**path));
    problems.extend(lost.map(|path| format!("{path}: no link from README.md leads to it")));
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pages: &[(&str, &str)]) -> Vec<String> {
        let pages: BTreeMap<&str, &str> = pages.iter().copied().collect();
        wrong(&pages, |path| pages.contains_key(path) || path == "specs")
    }

    #[test]
    fn finds_links_that_lead_nowhere() {
        let other = "# A title: `--a-b`\n## Twice\n## Twice\n";
        let readme = |link: &str| {
            check(&[
                ("README.md", &format!("[x]({link}) [y](docs/a.md)")),
                ("docs/a.md", other),
            ])
        };
        let right = [
            "docs/a.md#a-title---a-b",
            "docs/a.md#twice-1",
            "specs/",
            "https://example.org/#x",
            "docs/../docs/a.md",
        ];
        for link in right {
            assert_eq!(readme(link), [""; 0], "{link}");
        }
        for link in ["docs/b.md", "docs/a.md#thrice", "#here", "a.md"] {
            assert_eq!(readme(link).len(), 1, "{link}");
        }
    }

    #[test]
    fn finds_pages_that_no_link_leads_to() {
        let pages = [
            ("README.md", "[a](docs/a.md)"),
            ("docs/a.md", "[b](b.md)"),
            ("docs/b.md", ""),
            ("docs/c.md", ""),
        ];
        assert_eq!(
            check(&pages),
            ["docs/c.md: no link from README.md leads to it"]
        );
    }

    #[test]
    fn code_is_not_text() {
        let page = "a [x](no.md)\n````text\n```yaml\n[x](no.md)\n```\n````\nb\n";
        assert_eq!(prose(page), [(1, "a [x](no.md)"), (7, "b")]);
        assert_eq!(links(page), [(1, "no.md")]);
    }
}
