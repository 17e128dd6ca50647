//! The files of a project that change.
//!
//! Flows in: events of the file system. Flows out: the paths that changed, collected until nothing more changes.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ananke::{context::Context, project::directories, report::prepare_own_folder};
use notify::event::{AccessKind, AccessMode, EventKind};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::timeout;

/// The time for which nothing may change before a change is complete: programs write a file in several steps.
const QUIET: Duration = Duration::from_millis(50);

/// The time that an event may take that is certain to come.
const PATIENCE: Duration = Duration::from_secs(5);

/// A file that is written so that its event follows those of everything before it.
const MARK: &str = ".ananke/watch";

/// Watches the directories of a project.
pub(super) struct Changes {
    watcher: RecommendedWatcher,
    events: UnboundedReceiver<Event>,
    folder: PathBuf,
    watched: BTreeSet<PathBuf>,
    /// The directory of what ananke itself keeps, if it is watched.
    own: Option<PathBuf>,
}

impl Changes {
    /// Watches the project in `folder`.
    pub(super) fn of(folder: &Path, context: &Context) -> notify::Result<Self> {
        let (sender, events) = unbounded_channel();
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            if let Ok(event) = event {
                // The receiver is dropped when the program ends.
                let _ended = sender.send(event);
            }
        })?;
        let mut changes = Self {
            watcher,
            events,
            folder: folder.to_path_buf(),
            watched: BTreeSet::new(),
            own: None,
        };
        changes.watch_directories(context)?;
        Ok(changes)
    }

    /// The number of directories of the project that are watched.
    pub(super) fn directories(&self) -> usize {
        self.watched.len() - usize::from(self.own.is_some())
    }

    /// Watches directories that are new, and returns the files in them.
    pub(super) fn watch_directories(&mut self, context: &Context) -> notify::Result<Vec<PathBuf>> {
        // Each run says why there is none.
        self.own = prepare_own_folder(&self.folder)
            .ok()
            .and_then(|()| self.folder.join(MARK).parent().map(Path::to_path_buf));
        let directories: BTreeSet<PathBuf> = directories(context, &self.folder)
            .into_iter()
            .chain(self.own.clone())
            .collect();
        self.watched.retain(|known| directories.contains(known));
        let mut files = Vec::new();
        for directory in directories {
            if !self.watched.contains(&directory) {
                self.watcher
                    .watch(&directory, RecursiveMode::NonRecursive)?;
                files.extend(
                    context
                        .files
                        .list(&directory)
                        .into_iter()
                        .filter(|path| path.is_file()),
                );
                self.watched.insert(directory);
            }
        }
        Ok(files)
    }

    /// The changed files, once something changed and nothing more does.
    pub(super) async fn next(&mut self) -> BTreeSet<PathBuf> {
        let mut changed = BTreeSet::new();
        while changed.is_empty() {
            let Some(event) = self.events.recv().await else {
                return std::future::pending().await;
            };
            changed.extend(self.paths(event));
        }
        while let Ok(Some(event)) = timeout(QUIET, self.events.recv()).await {
            changed.extend(self.paths(event));
        }
        changed
    }

    /// The changed files until now: everything whose event has not been taken.
    pub(super) async fn until_now(&mut self) -> BTreeSet<PathBuf> {
        let mut changed = BTreeSet::new();
        let mark = self.folder.join(MARK);
        if fs::write(&mark, "").is_err() {
            return changed;
        }
        while let Ok(Some(event)) = timeout(PATIENCE, self.events.recv()).await {
            if event.paths.contains(&mark) {
                break;
            }
            changed.extend(self.paths(event));
        }
        let _gone = fs::remove_file(&mark);
        changed
    }

    /// The paths of an event that is a change; of what ananke keeps itself, none.
    fn paths(&self, event: Event) -> Vec<PathBuf> {
        let is_change = match event.kind {
            EventKind::Access(kind) => kind == AccessKind::Close(AccessMode::Write),
            _ => true,
        };
        let own = self.folder.join(MARK);
        let own = own.parent();
        let is_own = |path: &PathBuf| own.is_some_and(|own| path.starts_with(own));
        event
            .paths
            .into_iter()
            .filter(|path| is_change && !is_own(path))
            .collect()
    }
}
