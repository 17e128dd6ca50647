//! The tests that have not started, the next of them being loaded: reading its file is most of what a test costs here,
//! and there is time for it while those that run wait for their agents.
//!
//! Flows in: the cases of a plan. Flows out: one after the other, in the plan's order. Only files are read ahead; no
//! hook runs, no id is drawn and nothing is told before a test starts.

use std::collections::VecDeque;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Shared};

use crate::context::Context;
use crate::plan::{CaseEntry, LoadedFile, LoadedTest, Plan, PrepareError};

/// The tests that have not started.
pub(super) struct Upcoming {
    context: Context,
    plan: Arc<Plan>,
    /// How many have started.
    started: usize,
    /// Those that come next.
    loading: VecDeque<Loading>,
    /// The one that was loaded last.
    latest: Option<Loading>,
}

impl Upcoming {
    pub(super) fn new(context: Context, plan: Arc<Plan>) -> Self {
        Self { context, plan, started: 0, loading: VecDeque::new(), latest: None }
    }

    /// How many have started.
    pub(super) fn started(&self) -> usize {
        self.started
    }

    /// The one that starts now, and its file.
    pub(super) fn start(&mut self) -> Option<(CaseEntry, Loading)> {
        self.load_ahead(1);
        let loading = self.loading.pop_front()?;
        let entry = self.plan.cases[self.started].clone();
        self.started += 1;
        Some((entry, loading))
    }

    /// Sees to it that the next `count` are being loaded. Tests of one file that come after each other share it, and rows of one test.
    pub(super) fn load_ahead(&mut self, count: usize) {
        let first = self.started + self.loading.len();
        let missing = self.plan.cases.iter().enumerate().skip(first);
        for (index, entry) in missing.take(count.saturating_sub(self.loading.len())) {
            let before = index.checked_sub(1).and_then(|before| self.plan.cases.get(before));
            let same = self.latest.clone().filter(|_| before.is_some_and(|case| case.is_of_same_file(entry)));
            let loading = same.unwrap_or_else(|| Loading::begin(self.context.clone(), entry.clone()));
            self.latest = Some(loading.clone());
            self.loading.push_back(loading);
        }
    }
}

/// A test file that is being read.
#[derive(Clone)]
pub(super) struct Loading(Shared<BoxFuture<'static, Result<Arc<LoadedFile>, PrepareError>>>);

impl Loading {
    pub(super) fn begin(context: Context, entry: CaseEntry) -> Self {
        let loaded = tokio::spawn(async move { LoadedFile::of_case(&context, &entry) });
        let loaded = loaded.map(|loaded| match loaded {
            Ok(loaded) => loaded,
            Err(broken) => std::panic::resume_unwind(broken.into_panic()),
        });
        Self(loaded.boxed().shared())
    }

    /// The test of `entry`, one of the file's.
    pub(super) async fn test_of(self, entry: &CaseEntry) -> Result<Arc<LoadedTest>, PrepareError> {
        self.0.await?.test_of(entry)
    }
}
