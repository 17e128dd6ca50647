//! Warnings that are equal but for their place, as one.
//!
//! **Invariant:** errors are never folded: each of them has to be fixed at its place.

use std::collections::HashMap;

use super::{Code, Diagnostic, Place, Severity};

/// The most further places that are listed.
const LISTED: usize = 5;

/// The problems in their order, of which the first of equal warnings lists the places of the others.
pub fn folded(problems: &[Diagnostic]) -> Vec<Diagnostic> {
    let mut first: HashMap<(Code, &str, &[String]), usize> = HashMap::new();
    let mut kept: Vec<(Diagnostic, Vec<Place>)> = Vec::new();
    for problem in problems {
        let place = problem.place();
        let is_warning = problem.severity == Severity::Warning;
        if let Some(place) = place.filter(|_| is_warning && problem.labels.len() == 1) {
            let key = (problem.code, problem.message.as_str(), &*problem.help);
            if let Some(index) = first.get(&key) {
                kept[*index].1.push(place);
                continue;
            }
            first.insert(key, kept.len());
        }
        kept.push((problem.clone(), Vec::new()));
    }
    kept.into_iter()
        .map(|(problem, places)| match places.as_slice() {
            [] => problem,
            places => problem.help(elsewhere(places)),
        })
        .collect()
}

/// `the same at a.yaml:2, a.yaml:3 and 7 more places`
fn elsewhere(places: &[Place]) -> String {
    let shown: Vec<String> = places.iter().take(LISTED).map(Place::to_string).collect();
    match places.len() - shown.len() {
        0 => format!("the same at {}", shown.join(", ")),
        1 => format!("the same at {} and one more place", shown.join(", ")),
        more => format!("the same at {} and {more} more places", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::{SourceFile, Span};
    use super::*;

    #[test]
    fn equal_warnings_are_one_with_every_place() {
        let source = Arc::new(SourceFile::new("a", "a", "\n".repeat(20)));
        let at = |problem: Diagnostic, line: usize| problem.at(&source, Span::new(line, line), "");
        let warning = |message: &str, line| {
            at(Diagnostic::warning(Code::AssertsNothing, message), line).help("assert something")
        };
        let error = |line| at(Diagnostic::error(Code::BadValue, "wrong"), line);
        let many: Vec<Diagnostic> = (0..9).map(|line| warning("nothing", line)).collect();
        let problems = [
            many,
            vec![
                error(10),
                error(11),
                warning("another", 12),
                warning("another", 13),
            ],
            vec![Diagnostic::warning(Code::NoTests, "none"); 2],
        ]
        .concat();
        let folded = folded(&problems);
        let words: Vec<(&str, &[String])> = folded
            .iter()
            .map(|problem| (problem.message.as_str(), &*problem.help))
            .collect();
        let help = |more: &str| vec!["assert something".to_owned(), more.to_owned()];
        assert_eq!(
            words,
            [
                (
                    "nothing",
                    &*help("the same at a:2, a:3, a:4, a:5, a:6 and 3 more places")
                ),
                ("wrong", &[]),
                ("wrong", &[]),
                ("another", &*help("the same at a:14")),
                ("none", &[]),
                ("none", &[]),
            ]
        );
    }
}
