//! The files of a test's snapshots: its blocks in, with a file for each of their snapshots out.
//!
//! A name follows from what is written alone (the test's name, the turn's number, or the name that a rule gives), so
//! that it is the same in every run, and which files are no longer used is known before anything runs.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::attachment::FileAccess;
use ananke_base::context::{Context, display_name};
use ananke_base::diagnostic::{Code, Diagnostic, SourceFile};
use ananke_base::source::reason;
use ananke_base::text::natural_path_order;
use ananke_rules::{Block, Expectation, Snapshot, inherit, with_golden};
use ananke_trace::golden::{self, Golden};

/// A test whose snapshots are looked for.
#[derive(Clone, Copy)]
pub(crate) struct SnapshotFiles<'a> {
    pub(crate) context: &'a Context,
    /// The test file.
    pub(crate) source: &'a Arc<SourceFile>,
    /// The test's name.
    pub(crate) name: &'a str,
    /// The name of its row, if it runs with one: each row has snapshots of its own.
    pub(crate) row: Option<&'a str>,
    pub(crate) access: FileAccess,
}

impl SnapshotFiles<'_> {
    /// Gives every snapshot of the levels its file. Returns the files that are used; what is wrong with them goes to
    /// `problems`.
    pub(crate) fn place(
        self,
        target: &mut Block,
        test: &mut Block,
        turns: &mut [Block],
        problems: &mut Vec<Diagnostic>,
    ) -> BTreeSet<PathBuf> {
        let levels = [&mut *target, &mut *test]
            .into_iter()
            .map(|block| (None, block));
        let of_turns = turns
            .iter_mut()
            .enumerate()
            .map(|(index, block)| (Some(index + 1), block));
        for (turn, block) in levels.chain(of_turns) {
            self.give(block, turn, problems);
        }
        self.files(target, test, turns, problems)
    }

    /// Gives the snapshot of one block its file; of a turn by its number, counted from 1.
    pub(crate) fn give(
        self,
        block: &mut Block,
        turn: Option<usize>,
        problems: &mut Vec<Diagnostic>,
    ) {
        let Some(Expectation::Is(entry)) = &mut block.snapshot else {
            return;
        };
        let Some(snapshot) = entry.rule::<Snapshot>() else {
            return;
        };
        let (name, turn) = match &snapshot.name {
            Some(name) => (name.as_str(), None),
            None => (self.name, turn),
        };
        let name = match self.row {
            Some(row) => golden::file_name(&format!("{name}[{row}]"), turn),
            None => golden::file_name(name, turn),
        };
        let path = golden::folder(&self.source.path).join(name);
        let shown = display_name(self.context, &path);
        let text = if self.access == FileAccess::Read {
            golden::read(&self.context.files, &path).unwrap_or_else(|error| {
                let why = match error.kind() {
                    ErrorKind::FileTooLarge => error.to_string(),
                    _ => reason(&error).to_owned(),
                };
                let message = format!("the snapshot `{shown}` cannot be read: {why}");
                problems.push(Diagnostic::error(Code::Unreadable, message));
                None
            })
        } else {
            None
        };
        *entry = with_golden(
            entry,
            Golden {
                path,
                shown,
                text: text.map(Arc::from),
            },
        );
    }

    /// The files that are used; no two rules share one.
    fn files(
        self,
        target: &Block,
        test: &Block,
        turns: &[Block],
        problems: &mut Vec<Diagnostic>,
    ) -> BTreeSet<PathBuf> {
        let none = [target, test]
            .into_iter()
            .chain(turns)
            .all(|block| block.snapshot.is_none());
        if none {
            return BTreeSet::new();
        }
        let merged = inherit(target, test, turns);
        let mut files = BTreeSet::new();
        for entry in merged
            .test
            .iter()
            .chain(merged.turns.iter().flat_map(|turn| &turn.entries))
        {
            let Some(snapshot) = entry.rule::<Snapshot>() else {
                continue;
            };
            let Some(Golden { path, shown, .. }) = &snapshot.golden else {
                continue;
            };
            if !files.insert(path.clone()) {
                let message = format!("a second snapshot is kept in `{shown}`");
                problems.push(
                    Diagnostic::error(Code::DuplicateSnapshot, message)
                        .at(self.source, entry.origin.span, "")
                        .help("give one of them another name"),
                );
            }
        }
        files
    }
}

/// The snapshots that no test uses any more: those of the `kept` files that are not `used`, if all tests that they can
/// belong to were loaded, or no longer exist.
pub(crate) fn obsolete_snapshots(
    context: &Context,
    kept: BTreeSet<PathBuf>,
    used: &BTreeSet<PathBuf>,
    loaded: &[PathBuf],
) -> Vec<Golden> {
    let loaded: BTreeSet<&Path> = loaded.iter().map(PathBuf::as_path).collect();
    let is_judged = |path: &PathBuf| {
        let tests = path.parent().and_then(golden::test_files_of);
        tests.is_some_and(|tests| {
            tests
                .iter()
                .all(|test| loaded.contains(test.as_path()) || !context.files.is_file(test))
        })
    };
    let mut kept: Vec<PathBuf> = kept.into_iter().collect();
    kept.sort_by(|one, other| natural_path_order(one, other));
    kept.into_iter()
        .filter(|path| !used.contains(path))
        .filter(is_judged)
        .filter(|path| golden::is_golden(&context.files, path))
        .map(|path| Golden {
            shown: display_name(context, &path),
            path,
            text: None,
        })
        .collect()
}
