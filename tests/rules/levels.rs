//! An assert block written on one level, compiled and inherited.

use std::sync::Arc;

use ananke::assertion::{Block, Inherited, inherit};
use ananke::diagnostic::SourceFile;
use ananke::model::TestFile;
use ananke::outcome::Level;
use ananke::schema::{FileKind, load};
use ananke::variables::{Interpolation, Mode, Scope};

/// What applies in a test of `turns` turns when `blocks` are written on their levels.
pub(crate) fn inherited(blocks: &[(&str, &str)], turns: usize) -> Inherited {
    ananke::install();
    let level = |level: &str| {
        let written = blocks.iter().find(|(name, _)| *name == level);
        written.map_or_else(|| "{}".to_owned(), |(_, block)| (*block).to_owned())
    };
    let turn_blocks: Vec<Block> = (1..=turns)
        .map(|number| compile(&level(&format!("turn {number}")), Level::Turn))
        .collect();
    inherit(
        &compile(&level("target"), Level::Target),
        &compile(&level("test"), Level::Test),
        &turn_blocks,
    )
}

fn compile(block: &str, level: Level) -> Block {
    ananke::install();
    let text = format!("version: \"1.4\"\nname: row\nturns: [{{ user: hi }}]\nassert: {block}\n");
    let source = Arc::new(SourceFile::new("row.test.yaml", "row.test.yaml", text));
    let loaded = load::<TestFile>(
        FileKind::Test,
        &source,
        Some(ananke::schema::Version::newest()),
    )
    .unwrap_or_else(|problems| panic!("{block}: {problems:?}"));
    let scope = Scope::default();
    let mut problems = Vec::new();
    let mut interpolation = Interpolation::new(&scope, &source, Mode::Send, &mut problems);
    let compiled = Block::compile(
        &loaded.value.tests[0].assert,
        level,
        None,
        &mut interpolation,
    );
    assert!(problems.is_empty(), "{block}: {problems:?}");
    compiled
}
