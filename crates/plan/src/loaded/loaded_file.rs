//! A test file: read once for all of its tests, in the plan and in the run.

use std::path::Path;
use std::sync::Arc;

use super::loaded_test::LoadedTest;
use super::prepare_error::PrepareError;
use super::test_entry::CaseEntry;
use crate::cases::{CaseFile, ReadCase};
use ananke_base::context::{Context, digest_number, display_name};
use ananke_base::diagnostic::{Diagnostic, SourceFile};
use ananke_base::source;
use ananke_model::model::TestFile;
use ananke_model::schema::{self, FileKind, Version};

/// A test file as loaded.
#[derive(Debug)]
pub struct LoadedFile {
    pub(crate) tests: Vec<Arc<LoadedTest>>,
    /// The oddities of the file as a whole.
    pub(crate) oddities: Vec<Diagnostic>,
    /// A hash of its text.
    hash: u64,
    /// The length of its text, in bytes.
    text_len: usize,
}

impl LoadedFile {
    /// Reads a test file, which has the version `of_config` if it declares none.
    pub(crate) fn load(
        context: &Context,
        path: &Path,
        of_config: Version,
    ) -> Result<Self, Vec<Diagnostic>> {
        let shown = display_name(context, path);
        let source = source::read(&context.files, path, &shown).map_err(|problem| vec![problem])?;
        let loaded = schema::load::<TestFile>(FileKind::Test, &source, Some(of_config))?;
        let has_environment = |name: &str| context.environment.contains(name);
        let oddities = schema::oddities(&source, &loaded.node, &has_environment);
        Ok(Self {
            oddities,
            ..Self::of(&source, loaded.value)
        })
    }

    /// Loads the file of a planned case again, for its run. Nothing of it is filled yet, so that this may be done before
    /// its turn comes; the test then runs as it was loaded.
    ///
    /// # Errors
    /// If it cannot be read any more, or is broken by now.
    pub fn of_case(context: &Context, case: &CaseEntry) -> Result<Arc<Self>, PrepareError> {
        let file = Self::of_entry(context, case);
        file.map(Arc::new)
            .map_err(|problems| PrepareError::Broken(problems, Vec::new()))
    }

    /// The same, or everything that is wrong with it. A case that changed has no tests any more.
    pub(crate) fn of_entry(context: &Context, case: &CaseEntry) -> Result<Self, Vec<Diagnostic>> {
        let of_config = case.test.of_config.unwrap_or_else(Version::newest);
        let Some(part) = case.test.part else {
            return Self::load(context, &case.test.path, of_config);
        };
        let file = CaseFile {
            files: &context.files,
            path: &case.test.path,
            name: &case.test.file,
        };
        let source = file.again(part).map_err(|problem| vec![problem])?;
        let tests = match source {
            Some(source) => {
                source.set_version((of_config.major, of_config.minor));
                let ReadCase {
                    test,
                    problems,
                    is_broken,
                    ..
                } = ReadCase::of(&source);
                let test = test.filter(|_| !is_broken).ok_or(problems)?;
                vec![Arc::new(LoadedTest::of_case(source, test, part))]
            }
            None => Vec::new(),
        };
        Ok(Self {
            tests,
            oddities: Vec::new(),
            hash: 0,
            text_len: 0,
        })
    }

    pub(crate) fn of(source: &Arc<SourceFile>, file: TestFile) -> Self {
        let hash = digest_number(&source.text);
        let tests = file.tests.into_iter().enumerate();
        let tests = tests
            .map(|(index, test)| Arc::new(LoadedTest::of(Arc::clone(source), test, index, hash)));
        let mut tests: Vec<_> = tests.collect();
        // They have the room of the list that they were made from.
        tests.shrink_to_fit();
        Self {
            tests,
            oddities: Vec::new(),
            hash,
            text_len: source.text.len(),
        }
    }

    /// The length of its text, in bytes.
    pub(super) fn text_len(&self) -> usize {
        self.text_len
    }

    /// Whether one of its tests has rows, which may take any amount of memory.
    pub(super) fn has_rows(&self) -> bool {
        self.tests.iter().any(|test| test.model.cases.is_some())
    }

    /// The test of a planned case.
    ///
    /// # Errors
    /// If the file has changed since the plan was made.
    pub fn test_of(&self, entry: &CaseEntry) -> Result<Arc<LoadedTest>, PrepareError> {
        let test = self
            .tests
            .get(entry.test.index)
            .filter(|_| self.hash == entry.test.hash);
        test.cloned().ok_or(PrepareError::Changed)
    }
}
