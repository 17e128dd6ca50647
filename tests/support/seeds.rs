//! The seeds of properties that failed once: they are tried first, in every run.

use proptest::test_runner::{Config, FileFailurePersistence};

/// The file of the seeds, from the root of the repository, where the tests of a package run.
const SEEDS: &str = "tests/proptest-regressions.txt";

/// The configuration of a property whose failures are remembered.
pub(crate) fn seeded() -> Config {
    let persistence = FileFailurePersistence::Direct(SEEDS);
    Config {
        failure_persistence: Some(Box::new(persistence)),
        ..Config::default()
    }
}
