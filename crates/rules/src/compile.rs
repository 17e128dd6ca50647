//! Compiles the assert blocks of one level, and those that they extend.

use std::collections::BTreeSet;

use super::{
    block::Block, collector::Collector, library::Library, limit_settings, registry::RULES,
};
use ananke_base::diagnostic::Code;
use ananke_model::model::{AssertBlock, Subagents, Text, TextRules};
use ananke_model::variables::Interpolation;
use ananke_trace::outcome::Level;

/// The most blocks that may extend each other one after the other: far more than people write.
const MOST_EXTENDED: usize = 32;

impl Block {
    /// Checks and fills the blocks of one level, outer first: a later one is merged like that of an inner level. What is
    /// known later or was reported is omitted. Without a `library` what they extend is omitted too.
    pub fn compile<'b>(
        blocks: impl IntoIterator<Item = &'b AssertBlock>,
        level: Level,
        library: Option<Library<'_>>,
        interpolation: &mut Interpolation<'_>,
    ) -> Self {
        let mut compiled = Self::default();
        for block in blocks {
            let (added, compiled) = (BTreeSet::new(), &mut compiled);
            Compiler {
                level,
                named: library,
                added,
                depth: 0,
                interpolation,
                compiled,
            }
            .add(block);
        }
        compiled
    }
}

/// Compiles the blocks of one level into one.
struct Compiler<'c, 'f, 'l> {
    level: Level,
    /// The blocks that others extend by name; `None` if they are not merged.
    named: Option<Library<'l>>,
    /// The blocks of the library that were added: each counts once, where it comes first.
    added: BTreeSet<&'l str>,
    /// The number of blocks of the library that extend each other on the way to here.
    depth: usize,
    interpolation: &'c mut Interpolation<'f>,
    compiled: &'c mut Block,
}

impl Compiler<'_, '_, '_> {
    /// Adds a block: first those that it extends, then what it says itself.
    fn add(&mut self, block: &AssertBlock) {
        for name in block.extends.iter().flatten() {
            self.extend(name);
        }
        let mut collector = Collector::new(self.level, self.interpolation);
        collect(block, &mut collector);
        let own = collector.block;
        self.compiled.overlay(own);
    }

    /// Adds a block of the library as if it were written here. How blocks of the library extend each other is checked
    /// by the library.
    fn extend(&mut self, name: &Text) {
        let Some(library) = self.named else { return };
        let Some((known, block)) = library.find(&name.value) else {
            if self.depth == 0 {
                let (message, help) = library.unknown(name);
                self.interpolation
                    .report(Code::UnknownName, name.span, message, Some(help));
            }
            return;
        };
        if self.depth == MOST_EXTENDED {
            let message =
                format!("more than {MOST_EXTENDED} blocks of assertions extend each other");
            self.interpolation
                .report(Code::LimitExceeded, name.span, message, None);
            return;
        }
        if !self.added.insert(known) {
            return;
        }
        self.interpolation.in_file(library.source, |interpolation| {
            let mut inner = Compiler {
                level: self.level,
                named: self.named,
                added: std::mem::take(&mut self.added),
                depth: self.depth + 1,
                interpolation,
                compiled: &mut *self.compiled,
            };
            inner.add(block);
            self.added = inner.added;
        });
    }
}

/// Collects what a block says itself.
fn collect(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    collector.path = "tools";
    collector.switched(block.tools.as_ref());
    collector.path = "text";
    collector.switched(block.text.as_ref());
    collector.path = "model";
    collector.switched(block.model.as_ref());
    for (path, compile) in RULES {
        collector.path = path;
        compile(block, collector);
    }
    limit_settings::compile(block, collector);
    if let Some(subagents) = block.tools().and_then(|tools| tools.subagents.as_ref()) {
        let origin = collector.origin(subagents.span);
        collector.block.subagents = Some((subagents.value == Subagents::Exclude, origin));
    }
    if let Some((key, span)) = block.text().and_then(TextRules::only_setting) {
        let help = "it says which text the rules next to it check: write it where they are";
        collector.interpolation.report(
            Code::MissingKey,
            span,
            format!("`{key}` has no rule next to it"),
            Some(help.to_owned()),
        );
    }
}
