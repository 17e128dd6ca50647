//! Test files: loaded for the plan, and loaded again when their test starts.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Supply, discover, hook};
use crate::assertion::Block;
use crate::context::Context;
use crate::diagnostic::{Diagnostic, SourceFile};
use crate::model::{Hook, TestFile, Turn};
use crate::outcome::Level;
use crate::schema::{self, FileKind};
use crate::source;
use crate::variables::Filling;

/// One selected test: what the plan keeps of it. The rest is loaded again when it starts, so that a project of any
/// size fits into little memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseEntry {
    /// `path::name`, the path from the config's folder (SPEC 1, Identity).
    pub id: String,
    /// The file.
    pub path: PathBuf,
    /// The file as shown in messages.
    pub file: String,
    /// The line of its name, counted from 1.
    pub line: u32,
    /// A hash of the file's text, to notice that it changed.
    pub hash: u64,
    /// Whether hooks run before it, so that it may use names that nothing else defines.
    pub hooks: bool,
}

/// A test file as loaded.
pub(super) struct LoadedTest {
    pub(super) source: Arc<SourceFile>,
    pub(super) model: TestFile,
    pub(super) hash: u64,
}

impl LoadedTest {
    /// Where the variables of a hook come from.
    pub(super) const HINT_FOR_HOOKS: &str =
        "a hook sees the built-in variables and what earlier hooks of its test gave";

    /// Reads a test file.
    pub(super) fn load(context: &Context, path: &Path) -> Result<Self, Vec<Diagnostic>> {
        let source =
            source::read(path, &discover::display_name(context, path)).map_err(|problem| vec![problem])?;
        let loaded = schema::load::<TestFile>(FileKind::Test, &source)?;
        Ok(Self::of(source, loaded.value))
    }

    fn of(source: Arc<SourceFile>, model: TestFile) -> Self {
        let mut hasher = DefaultHasher::new();
        source.text.hash(&mut hasher);
        Self { source, model, hash: hasher.finish() }
    }

    /// What else is wrong with a file that does not fit: its patterns and references are checked all the same, so that
    /// everything is told in one go (SPEC 1).
    ///
    /// Also says whether the test may have hooks.
    fn further_problems(
        context: &Context,
        supply: &Supply,
        folder: &Path,
        path: &Path,
    ) -> (Vec<Diagnostic>, bool) {
        let read = source::read(path, &discover::display_name(context, path)).ok();
        let salvaged = read.and_then(|source| Some((schema::salvage::<TestFile>(&source)?, source)));
        let Some((salvaged, source)) = salvaged else { return (Vec::new(), true) };
        let mut problems = Vec::new();
        let test = Self::of(source, salvaged.value.clone());
        test.check(context, supply, folder, &mut problems);
        problems.retain(|problem| salvaged.is_of_the_file(problem));
        (problems, !test.hooks(supply).is_empty())
    }

    /// The hooks that will run.
    pub(super) fn hooks(&self, supply: &Supply) -> &[Hook] {
        match &self.model.hooks {
            Some(hooks) if !supply.without_hooks => hooks,
            _ => &[],
        }
    }

    /// The test's file and name for the scope: what `${TEST_FILE}` and `${TEST_NAME}` say.
    pub(super) fn path_from(&self, folder: &Path) -> String {
        let path = self.source.path.strip_prefix(folder).unwrap_or(&self.source.path);
        path.to_string_lossy().replace('\\', "/")
    }

    /// The test's name; only what is known before anything runs may stand in it.
    pub(super) fn name(
        &self,
        context: &Context,
        supply: &Supply,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<String> {
        let mut scope = supply.scope(context);
        if self.model.hooks.is_some() {
            scope = scope.hint("a test has its name before its hooks run: it cannot use what they give");
        }
        Filling::new(&scope, &self.source, true, problems).text(&self.model.name).ready()
    }

    /// Checks every leaf; what is known only when the test starts is left for then.
    fn check(
        &self,
        context: &Context,
        supply: &Supply,
        folder: &Path,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<CaseEntry> {
        let name = self.name(context, supply, problems);
        let mut scope = supply.scope(context);
        scope.expect("THREAD_ID");
        scope.expect("TEST_NAME");
        scope.set("TEST_FILE", self.path_from(folder));
        let hooks = !self.hooks(supply).is_empty();
        for (index, written) in self.model.hooks.iter().flatten().enumerate() {
            // Nothing runs before the first hook; what the others use may come from it.
            let scope = match index {
                0 if hooks => scope.clone().hint(Self::HINT_FOR_HOOKS),
                _ => scope.clone().open(),
            };
            let mut filling = Filling::new(&scope, &self.source, true, problems);
            hook::fill(written, index + 1, context, folder, &scope, &mut filling);
        }
        let scope = if hooks { scope.open() } else { scope };
        let mut filling = Filling::new(&scope, &self.source, true, problems);
        self.blocks(&mut filling);
        for turn in &self.model.turns {
            let Turn::User(turn) = turn;
            let _ = filling.text(&turn.user);
        }
        Some(CaseEntry {
            id: format!("{}::{}", self.path_from(folder), name?),
            path: self.source.path.clone(),
            file: self.source.name.to_string(),
            line: self.source.place(self.model.name.span).line,
            hash: self.hash,
            hooks,
        })
    }

    /// The assert blocks of the test and of its turns.
    pub(super) fn blocks(&self, filling: &mut Filling<'_>) -> (Block, Vec<Block>) {
        let test = Block::compile(self.model.assert.as_ref(), Level::Test, filling);
        let turns =
            self.model.turns.iter().map(|turn| Block::compile(turn.assert_block(), Level::Turn, filling));
        (test, turns.collect())
    }
}

/// The tests of a project.
#[derive(Debug, Default)]
pub(super) struct LoadedTests {
    /// The good ones.
    pub(super) entries: Vec<CaseEntry>,
    /// Whether there is a broken one that may have hooks.
    pub(super) broken_with_hooks: bool,
}

/// Loads and checks all `files`, on every core, in their order.
pub(super) fn load_all(
    context: &Context,
    supply: &Supply,
    folder: &Path,
    files: &[PathBuf],
    problems: &mut Vec<Diagnostic>,
) -> LoadedTests {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(path) = files.get(index) else { return done };
            let mut found = Vec::new();
            let (entry, broken_with_hooks) = match LoadedTest::load(context, path) {
                Ok(test) => (test.check(context, supply, folder, &mut found), false),
                Err(broken) => {
                    found = broken;
                    let (further, hooks) = LoadedTest::further_problems(context, supply, folder, path);
                    found.extend(further);
                    (None, hooks)
                }
            };
            done.push((index, entry, broken_with_hooks, found));
        }
    };
    // A thread costs more than a few small files.
    let threads = context.parallelism.min(NonZeroUsize::MIN.saturating_add(files.len() / 16)).get();
    let mut done = if threads == 1 {
        work()
    } else {
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            threads
                .into_iter()
                .flat_map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        })
    };
    done.sort_by_key(|(index, ..)| *index);
    let mut loaded = LoadedTests::default();
    for (_, entry, broken_with_hooks, found) in done {
        problems.extend(found);
        loaded.entries.extend(entry);
        loaded.broken_with_hooks |= broken_with_hooks;
    }
    loaded
}
