//! The tests that have not started, the next of them being loaded: reading its file is most of what a test costs here,
//! and there is time for it while those that run wait for their agents.
//!
//! Flows in: the cases of a plan. Flows out: one after the other, in the plan's order. Only files are read ahead; no
//! hook runs, no id is drawn and nothing is told before a test starts.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::task::JoinHandle;

use crate::context::Context;
use crate::plan::{CaseEntry, LoadedTest, Plan, Unprepared};

/// The tests that have not started.
pub(super) struct Upcoming {
    context: Context,
    plan: Arc<Plan>,
    /// How many have started.
    started: usize,
    /// Those that come next.
    loading: VecDeque<Loading>,
}

impl Upcoming {
    pub(super) fn new(context: Context, plan: Arc<Plan>) -> Self {
        Self { context, plan, started: 0, loading: VecDeque::new() }
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

    /// Sees to it that the next `count` are being loaded.
    pub(super) fn load_ahead(&mut self, count: usize) {
        let missing = self.plan.cases.iter().skip(self.started + self.loading.len());
        for entry in missing.take(count.saturating_sub(self.loading.len())) {
            self.loading.push_back(Loading::begin(self.context.clone(), entry.clone()));
        }
    }
}

/// A test whose file is being read.
pub(super) struct Loading(JoinHandle<Result<LoadedTest, Unprepared>>);

impl Loading {
    pub(super) fn begin(context: Context, entry: CaseEntry) -> Self {
        Self(tokio::spawn(async move { entry.load(&context) }))
    }

    /// What was in the file.
    pub(super) async fn loaded(self) -> Result<LoadedTest, Unprepared> {
        match self.0.await {
            Ok(loaded) => loaded,
            Err(broken) => std::panic::resume_unwind(broken.into_panic()),
        }
    }
}
