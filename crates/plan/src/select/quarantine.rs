//! The quarantine: which tests may fail, until when, and what is wrong with its entries.

use std::sync::Arc;

use regex::Regex;

use super::named_test::nearest_id;
use super::selection::Selection;
use crate::loaded::CaseEntry;
use crate::project::Config;
use ananke_base::context::Day;
use ananke_base::diagnostic::{Code, Diagnostic, SourceFile, Span};
use ananke_model::model::QuarantineEntry;
use ananke_model::variables::{Interpolation, Mode, Scope};
use ananke_trace::outcome;

/// The number of days before its last day from which on an entry is warned of.
const WARNED_DAYS: u16 = 7;

/// The entries of a config that can be understood, in its order.
#[derive(Default)]
pub(crate) struct QuarantineList(Vec<ActiveEntry>);

struct ActiveEntry {
    quarantine: Arc<outcome::Quarantine>,
    pattern: IdPattern,
    test: Span,
    expires: Span,
}

/// The ids that an entry matches.
enum IdPattern {
    Exact(String),
    Wildcard(Regex),
}

impl QuarantineList {
    /// Reads the quarantine of `config`; what is wrong with an entry goes to `problems`.
    pub(crate) fn of(config: &Config, problems: &mut Vec<Diagnostic>) -> Self {
        let scope = Scope::default();
        let mut interpolation = Interpolation::new(&scope, &config.source, Mode::Send, problems);
        let written = config.model.quarantine.iter().flatten();
        Self(
            written
                .filter_map(|entry| ActiveEntry::of(entry, &mut interpolation))
                .collect(),
        )
    }

    /// Puts the tests that a valid entry matches into quarantine.
    pub(crate) fn mark(&self, cases: &mut [CaseEntry], unix_ms: u64) {
        let today = Day::of(unix_ms);
        for case in cases {
            let mut valid = self
                .0
                .iter()
                .filter(|entry| entry.quarantine.expires >= today);
            let entry = valid.find(|entry| entry.matches(case));
            case.quarantine = entry.map(|entry| Arc::clone(&entry.quarantine));
        }
    }

    /// The expired entries that concern the selected tests.
    pub(crate) fn expired(
        &self,
        cases: &[CaseEntry],
        selection: &Selection,
        unix_ms: u64,
    ) -> Vec<outcome::Quarantine> {
        let expired = self
            .concerned(cases, selection)
            .filter(|entry| entry.has_expired(unix_ms));
        expired.map(|entry| (*entry.quarantine).clone()).collect()
    }

    /// Warnings about entries that concern the selected tests and expire soon; errors about expired ones if no run
    /// reports them.
    pub(crate) fn days(
        &self,
        cases: &[CaseEntry],
        selection: &Selection,
        source: &Arc<SourceFile>,
        unix_ms: u64,
    ) -> Vec<Diagnostic> {
        let soon = Day::of(unix_ms).plus(WARNED_DAYS);
        let quarantine = |entry: &ActiveEntry| {
            let outcome::Quarantine { owner, expires, .. } = &*entry.quarantine;
            let problem = if entry.has_expired(unix_ms) {
                let message = format!(
                    "this entry has expired: its last day was {expires}, its owner is {owner}"
                );
                selection
                    .checks
                    .then(|| Diagnostic::error(Code::QuarantineExpiry, message))
            } else {
                let message = format!(
                    "this entry expires soon: its last day is {expires}, its owner is {owner}"
                );
                (*expires <= soon).then(|| Diagnostic::warning(Code::QuarantineExpiry, message))
            };
            let help = "fix the test and remove the entry, or agree on a later date with its owner";
            Some(problem?.at(source, entry.expires, "").help(help))
        };
        self.concerned(cases, selection)
            .filter_map(quarantine)
            .collect()
    }

    /// A warning about every entry that matches none of the project's tests.
    pub(crate) fn of_nothing(
        &self,
        cases: &[CaseEntry],
        source: &Arc<SourceFile>,
    ) -> Vec<Diagnostic> {
        let idle = self
            .0
            .iter()
            .filter(|entry| !cases.iter().any(|case| entry.matches(case)));
        idle.map(|entry| {
            let what = match entry.pattern {
                IdPattern::Exact(_) => "no test has the id",
                IdPattern::Wildcard(_) => "no test has an id like",
            };
            let message = format!("{what} `{}`", entry.quarantine.test);
            let help = match nearest_id(&entry.quarantine.test, cases) {
                Some(id) => format!("did you mean `{id}`? if the test is gone, remove the entry"),
                None => {
                    "`ananke list` prints the ids; if the test is gone, remove the entry".to_owned()
                }
            };
            Diagnostic::warning(Code::QuarantineOfNothing, message)
                .at(source, entry.test, "")
                .help(help)
        })
        .collect()
    }

    /// The entries that match a selected test; all of them if the whole project is selected.
    fn concerned(
        &self,
        cases: &[CaseEntry],
        selection: &Selection,
    ) -> impl Iterator<Item = &ActiveEntry> {
        let whole = selection.is_whole();
        self.0
            .iter()
            .filter(move |entry| whole || cases.iter().any(|case| entry.matches(case)))
    }
}

impl ActiveEntry {
    fn of(written: &QuarantineEntry, interpolation: &mut Interpolation<'_>) -> Option<Self> {
        let test = interpolation.text(&written.test).ok();
        let owner = interpolation.text(&written.owner).ok();
        let reason = written
            .reason
            .as_ref()
            .map(|reason| interpolation.text(reason).ok());
        let expires = interpolation.text(&written.expires).ok().and_then(|text| {
            let day = Day::parse(&text);
            if day.is_none() {
                let message = format!("`{text}` is not a valid date");
                let help = Some("write it as `YYYY-MM-DD`, like `2026-12-31`".to_owned());
                interpolation.report(Code::BadValue, written.expires.span, message, help);
            }
            day
        });
        let test = test?;
        let pattern = id_pattern(&test, written.test.span, interpolation)?;
        let quarantine = outcome::Quarantine {
            test,
            owner: owner?,
            expires: expires?,
            reason: match reason {
                Some(reason) => Some(reason?),
                None => None,
            },
            place: interpolation.place(written.test.span),
        };
        Some(Self {
            quarantine: Arc::new(quarantine),
            pattern,
            test: written.test.span,
            expires: written.expires.span,
        })
    }

    /// Whether an entry is about a test. The id of a test includes all its rows.
    fn matches(&self, case: &CaseEntry) -> bool {
        match &self.pattern {
            IdPattern::Exact(only) => case.test.id == *only || case.id() == only.as_str(),
            IdPattern::Wildcard(pattern) => pattern.is_match(&case.id()),
        }
    }

    fn has_expired(&self, unix_ms: u64) -> bool {
        self.quarantine.expires < Day::of(unix_ms)
    }
}

/// Brackets are part of ids (`pays[1]`), so only `*` and `?` have a meaning of their own.
fn id_pattern(test: &str, span: Span, interpolation: &mut Interpolation<'_>) -> Option<IdPattern> {
    if !test.contains(['*', '?']) {
        return Some(IdPattern::Exact(test.to_owned()));
    }
    let escaped = regex::escape(test).replace("\\*", ".*").replace("\\?", ".");
    let pattern = Regex::new(&format!("(?s)^{escaped}$")).ok();
    if pattern.is_none() {
        interpolation.report(
            Code::BadValue,
            span,
            "the pattern for ids is too long",
            None,
        );
    }
    pattern.map(IdPattern::Wildcard)
}

#[cfg(test)]
mod tests {
    use super::super::fakes::{case, rows};
    use super::*;
    use ananke_base::source::{from_node, tree};

    /// The ids of what is in quarantine on the day before the last one of an entry for `test`, and on the day after.
    fn marked(test: &str) -> [Vec<String>; 2] {
        let yaml = format!("{{ test: \"{test}\", owner: shop, expires: \"1970-01-02\" }}");
        let source = Arc::new(SourceFile::new("a.yaml", "a.yaml", yaml));
        let written: QuarantineEntry =
            from_node(&tree(&source).0.expect("a mapping"), &[]).expect("an entry");
        let (scope, mut problems) = (Scope::default(), Vec::new());
        let entry = ActiveEntry::of(
            &written,
            &mut Interpolation::new(&scope, &source, Mode::Send, &mut problems),
        );
        let quarantine = QuarantineList(entry.into_iter().collect());
        let day = 24 * 60 * 60 * 1000;
        [0, 2 * day].map(|unix_ms| {
            let mut cases = vec![case("a.yaml", "pays", &[]), case("b.yaml", "pays", &[])];
            cases.extend(rows(&case("c.yaml", "ships", &[]), &["1", "2"]));
            quarantine.mark(&mut cases, unix_ms);
            let in_quarantine = cases.iter().filter(|case| case.quarantine.is_some());
            in_quarantine.map(|case| case.id().into_owned()).collect()
        })
    }

    #[test]
    fn an_entry_protects_the_tests_it_matches_until_its_last_day() {
        for (test, expected) in [
            ("a.yaml::pays", &["a.yaml::pays"][..]),
            ("*::pays", &["a.yaml::pays", "b.yaml::pays"]),
            ("?.yaml::pays", &["a.yaml::pays", "b.yaml::pays"]),
            ("c.yaml::ships", &["c.yaml::ships[1]", "c.yaml::ships[2]"]),
            ("c.yaml::ships[2]", &["c.yaml::ships[2]"]),
            ("*[1]", &["c.yaml::ships[1]"]),
            ("pays", &[]),
            ("a.yaml::pay.", &[]),
        ] {
            assert_eq!(
                marked(test),
                [expected.to_vec(), Vec::<&str>::new()],
                "{test}"
            );
        }
    }
}
