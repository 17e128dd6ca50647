//! Loads the files of the next tests while the running ones wait for their agents: reading its file is most of what a
//! test costs here.
//!
//! Flows in: the tests of a plan. Flows out: one after the other, in the plan's order. Only files are read ahead: before a
//! test starts, no hook runs, no id is drawn and nothing is reported.

use std::collections::VecDeque;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Shared, ready};

use ananke_base::context::Context;
use ananke_plan::{CaseEntry, LoadedFile, LoadedTest, Plan, PrepareError};

/// The tests that have not started.
pub(crate) struct Prefetch {
    context: Context,
    plan: Arc<Plan>,
    /// The number of tests that have started.
    started: usize,
    /// The files of the next tests.
    loading: VecDeque<Loading>,
    /// The file that was loaded last.
    latest: Option<Loading>,
}

impl Prefetch {
    pub(crate) fn new(context: Context, plan: Arc<Plan>) -> Self {
        Self {
            context,
            plan,
            started: 0,
            loading: VecDeque::new(),
            latest: None,
        }
    }

    /// The number of tests that have started.
    pub(crate) fn started(&self) -> usize {
        self.started
    }

    /// The test that starts now, and its file.
    pub(crate) fn start(&mut self) -> Option<(CaseEntry, Loading)> {
        self.load_ahead(1);
        let loading = self.loading.pop_front()?;
        let entry = self.plan.cases[self.started].clone();
        self.started += 1;
        Some((entry, loading))
    }

    /// Begins to load the files of tests until those of the next `count` tests are being loaded. Consecutive tests of one file
    /// share its loading, as do the rows of one test.
    pub(crate) fn load_ahead(&mut self, count: usize) {
        // The tests that have started and those that are being loaded come first in the plan.
        let first = self.started + self.loading.len();
        let lacking = count.saturating_sub(self.loading.len());
        let unloaded = self.plan.cases.iter().enumerate().skip(first);
        for (index, entry) in unloaded.take(lacking) {
            // The file loaded last belongs to the test before this one, so only that test is compared.
            let loading = if let Some(latest) = &self.latest
                && index > 0
                && self.plan.cases[index - 1].is_read_with(entry)
            {
                latest.clone()
            } else if let Some(file) = self.plan.take_file(entry) {
                // The plan read the file to find its tests, and kept it: it need not be read again.
                Loading::done(file)
            } else {
                Loading::begin(self.context.clone(), entry.clone())
            };
            self.latest = Some(loading.clone());
            self.loading.push_back(loading);
        }
    }
}

/// A test file that is being read.
#[derive(Clone)]
pub(crate) struct Loading(Shared<BoxFuture<'static, Result<Arc<LoadedFile>, PrepareError>>>);

impl Loading {
    /// A file that was kept.
    fn done(file: Arc<LoadedFile>) -> Self {
        Self(ready(Ok(file)).boxed().shared())
    }

    pub(crate) fn begin(context: Context, entry: CaseEntry) -> Self {
        let task = tokio::task::spawn_blocking(move || LoadedFile::of_case(&context, &entry));
        let loading = async {
            match task.await {
                Ok(loaded) => loaded,
                Err(broken) => std::panic::resume_unwind(broken.into_panic()),
            }
        };
        Self(loading.boxed().shared())
    }

    /// The test of `entry`, which is in this file.
    pub(crate) async fn test_of(self, entry: &CaseEntry) -> Result<Arc<LoadedTest>, PrepareError> {
        self.0.await?.test_of(entry)
    }
}
