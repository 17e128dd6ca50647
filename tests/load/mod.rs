//! Loading: every problem of a file at once, each exact, in our own words.

#![allow(clippy::needless_raw_string_hashes, reason = "snapbox writes them so")]

mod limits;
mod shape;
mod syntax;
mod version;

use std::sync::Arc;

use ananke::diagnostic::render::{RenderStyle, human, summary};
use ananke::diagnostic::{Diagnostic, SourceFile};
use ananke::model::TestFile;
use ananke::project::ConfigFile;
use ananke::schema::{FileKind, load};
use snapbox::assert_data_eq;

fn source(name: &str, text: &str) -> Arc<SourceFile> {
    ananke::install();
    Arc::new(SourceFile::new(name, name, text))
}

fn problems(kind: FileKind, text: &str) -> Vec<Diagnostic> {
    let source = source("a.yaml", text);
    match kind {
        FileKind::Config => load::<ConfigFile>(kind, &source, None)
            .err()
            .unwrap_or_default(),
        FileKind::Test => load::<TestFile>(kind, &source, Some(ananke::schema::Version::newest()))
            .err()
            .unwrap_or_default(),
        FileKind::Case | FileKind::Script => unreachable!("it has no version"),
    }
}

/// The problems of a whole file.
fn check(kind: FileKind, text: &str, expected: impl snapbox::IntoData) {
    let problems = problems(kind, text);
    let rendered = format!(
        "{}{}\n",
        human(&problems, RenderStyle::default()),
        summary(&problems)
    );
    assert_data_eq!(rendered, expected.into_data().raw());
}

/// The problems of a test file that continues after its name.
fn check_test(rest: &str, expected: impl snapbox::IntoData) {
    check(
        FileKind::Test,
        &format!("version: \"1.0\"\nname: a\n{rest}"),
        expected,
    );
}
