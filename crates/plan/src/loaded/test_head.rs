//! The head of a test: its name and the properties by which it is selected.

use super::loaded_test::LoadedTest;
use crate::compile::WalkPlan;
use ananke_base::diagnostic::{Diagnostic, Spanned};
use ananke_model::model::{Skip, Test};
use ananke_model::settings::RunCount;
use ananke_model::variables::{Fill as _, Interpolation, Leaf, Mode, NotReady, Scope, TestAbout};

/// The name of a test and the properties by which it is selected.
pub(crate) struct TestHead {
    pub(crate) name: String,
    pub(crate) id: Option<String>,
    pub(crate) about: TestAbout,
    pub(crate) skip: Option<String>,
    pub(crate) runs: Option<RunCount>,
    pub(crate) walk: Option<WalkPlan>,
}

impl LoadedTest {
    /// The name of the test and the properties by which it is selected; it contains only what is known before anything
    /// runs.
    pub(crate) fn head(&self, known: &Scope, problems: &mut Vec<Diagnostic>) -> Option<TestHead> {
        let mut scope = known.clone();
        if self.model.cases.is_some() {
            scope = scope
                .hint("a test has one name, id and tags for all rows: rows differ by their `id`");
        }
        if self.model.hooks.is_some() {
            scope = scope
                .hint("a test has its name before its hooks run: it cannot use what they give");
        }
        let Test {
            name,
            id,
            skip,
            runs,
            walk,
            ..
        } = &self.model;
        let mut interpolation = Interpolation::new(&scope, &self.source, Mode::Send, problems);
        let name = interpolation.text(name).ok();
        let id = id.fill(&mut interpolation);
        let about = TestAbout::fill(&self.model, &mut interpolation);
        let skip = skip
            .as_ref()
            .map_or(Ok(None), |skip| skipped(skip, &mut interpolation));
        let runs = runs
            .as_ref()
            .map(|runs| RunCount::fill(runs, &mut interpolation));
        let walk = walk
            .as_ref()
            .map(|walk| WalkPlan::fill(&walk.value, &mut interpolation))
            .transpose();
        let runs = match runs {
            Some(runs) => Some(runs?),
            None => None,
        };
        let walk = walk.ok()?;
        let (name, id, about, skip) = (name?, id.ok()?, about.ok()?, skip.ok()?);
        Some(TestHead {
            name,
            id,
            about,
            skip,
            runs,
            walk,
        })
    }
}

/// The reason that a test is skipped, if it is; `None` if that cannot be known.
fn skipped(skip: &Spanned<Skip>, interpolation: &mut Interpolation<'_>) -> Leaf<Option<String>> {
    let without_reason = || "the test says `skip: true`".to_owned();
    let reason = match &skip.value {
        Skip::Is(is) => return Ok(is.then(without_reason)),
        Skip::Because(reason) => interpolation.text(&Spanned {
            value: reason.clone(),
            span: skip.span,
        }),
    };
    let Ok(reason) = reason else {
        return Err(NotReady::Invalid);
    };
    Ok(match reason.trim() {
        // What a variable gives.
        "" | "false" => None,
        "true" => Some(without_reason()),
        reason => Some(reason.to_owned()),
    })
}
