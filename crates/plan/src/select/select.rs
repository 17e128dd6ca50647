//! The selection of the found tests that run: filter, tags and ids (SPEC 10).

use super::filter::has_id;
use super::named_test::unknown_id;
use super::named_tests::NamedTests;
use super::selection::Selection;
use crate::loaded::CaseEntry;
use ananke_base::context::Context;
use ananke_base::diagnostic::{Code, Diagnostic};

impl Selection {
    /// Whether nothing narrows it down: every test of the project is selected.
    pub(super) fn is_whole(&self) -> bool {
        self.paths.is_empty() && !self.chooses()
    }

    /// Whether it takes some of the tests that were found.
    pub fn chooses(&self) -> bool {
        self.filter.is_some()
            || !self.tags.is_empty()
            || !self.ids.is_empty()
            || !self.only_files.is_empty()
    }

    /// The tests it takes of those that were found: named, with one of the tags, one of the ids, and what the filter wants.
    /// An id that no test has is a problem.
    pub(crate) fn choose(
        &self,
        cases: Vec<CaseEntry>,
        named: &NamedTests,
        context: &Context,
        problems: &mut Vec<Diagnostic>,
    ) -> Vec<CaseEntry> {
        if !self.chooses() && !named.has_tests() {
            return cases;
        }
        let is_known = |id: &String| cases.iter().any(|case| has_id(case, id));
        problems.extend(
            self.ids
                .iter()
                .filter(|id| !is_known(id))
                .map(|id| unknown_id(id, &cases)),
        );
        let mut is_named = named.find(&cases, context, problems).into_iter();
        let has_tag = |case: &CaseEntry| {
            self.tags
                .iter()
                .any(|tag| case.test.about.tags.contains(tag))
        };
        let mut chosen = cases;
        chosen.retain(|case| {
            let is_named = is_named.next() == Some(true);
            is_named
                && (self.only_files.is_empty() || self.only_files.contains(&case.test.path))
                && (self.tags.is_empty() || has_tag(case))
                && (self.ids.is_empty() || self.ids.iter().any(|id| has_id(case, id)))
                && self
                    .filter
                    .as_ref()
                    .is_none_or(|filter| filter.matches(case))
        });
        chosen
    }

    /// The problem of a selection that matches no test that were found.
    pub(crate) fn takes_nothing(&self) -> Diagnostic {
        Diagnostic::error(Code::NoTests, self.chooser())
            .help("run `ananke list` to see all tests, or pass `--allow-empty`")
    }

    /// The filter or tag that matched none of the tests, in words.
    fn chooser(&self) -> String {
        let words = [
            (self.filter.is_some(), "the filter"),
            (!self.tags.is_empty(), "`--tag`"),
            (!self.ids.is_empty(), "`--id`"),
        ];
        let words: Vec<&str> = words
            .into_iter()
            .filter(|(is, _)| *is)
            .map(|(_, word)| word)
            .collect();
        let verb = if words.len() > 1 { "match" } else { "matches" };
        format!("{} {verb} no test", words.join(" and "))
    }
}

#[cfg(test)]
mod tests {
    use super::super::fakes::{case, rows};
    use super::super::filter::Filter;
    use super::*;

    fn cases() -> Vec<CaseEntry> {
        let mut cases = vec![
            case("shop/pay.yaml", "pays", &["smoke"]),
            case("shop/pay.yaml", "refunds", &["smoke", "slow"]),
            case("cart.yaml", "adds", &[]),
        ];
        cases.extend(rows(
            &case("rows.yaml", "ships", &["slow"]),
            &["berlin", "rome"],
        ));
        cases
    }

    /// The numbers of the cases that are taken, and what is wrong.
    fn chosen(filter: &str, tags: &[&str], ids: &[&str]) -> (String, Vec<String>) {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let filter = Some(filter).filter(|filter| !filter.is_empty());
        let selection = Selection {
            filter: filter.map(|filter| Filter::parse(filter).expect("a filter")),
            tags: texts(tags),
            ids: texts(ids),
            ..Selection::default()
        };
        let mut problems = Vec::new();
        let chosen = selection.choose(
            cases(),
            &NamedTests::default(),
            &Context::isolated("/"),
            &mut problems,
        );
        let all = cases();
        let number = |case: &CaseEntry| {
            all.iter()
                .position(|other| other.id() == case.id())
                .map_or(0, |at| at + 1)
        };
        let numbers = chosen.iter().map(|case| number(case).to_string()).collect();
        (
            numbers,
            problems
                .into_iter()
                .map(|problem| problem.help.concat())
                .collect(),
        )
    }

    #[test]
    fn a_test_needs_one_of_the_tags_one_of_the_ids_and_what_the_filter_says() {
        for (filter, tags, ids, expected) in [
            ("", &[][..], &[][..], "12345"),
            ("", &["smoke"], &[], "12"),
            ("", &["slow", "smoke"], &[], "1245"),
            ("", &["smo"], &[], ""),
            ("", &[], &["cart.yaml::adds"], "3"),
            ("", &[], &["cart.yaml::adds", "shop/pay.yaml::pays"], "13"),
            ("", &[], &["rows.yaml::ships"], "45"),
            ("", &[], &["rows.yaml::ships[rome]"], "5"),
            ("", &["slow"], &["cart.yaml::adds"], ""),
            ("pay", &["slow"], &[], "2"),
            ("name(ships)", &["slow"], &["rows.yaml::ships[berlin]"], "4"),
            ("not tag(slow)", &["smoke"], &[], "1"),
        ] {
            assert_eq!(
                chosen(filter, tags, ids),
                (expected.to_owned(), Vec::new()),
                "{filter} {tags:?} {ids:?}"
            );
        }
    }

    #[test]
    fn an_id_that_no_test_has_is_a_problem() {
        let (chosen, help) = chosen("", &[], &["cart.yaml::add", "rows.yaml::ships[rom]", "x"]);
        assert_eq!(chosen, "");
        let expected = [
            "did you mean `cart.yaml::adds`?",
            "did you mean `rows.yaml::ships[rome]`?",
            "`ananke list` prints the ids",
        ];
        assert_eq!(help, expected);
    }

    #[test]
    fn what_took_none_is_named() {
        let tags = vec!["a".to_owned()];
        let selection = Selection {
            tags: tags.clone(),
            ..Selection::default()
        };
        assert_eq!(selection.chooser(), "`--tag` matches no test");
        let selection = Selection {
            tags,
            ids: vec!["b".to_owned()],
            ..Selection::default()
        };
        assert_eq!(selection.chooser(), "`--tag` and `--id` match no test");
        assert!(Selection::default().is_whole() && !selection.is_whole());
    }
}
