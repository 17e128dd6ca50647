//! Collects the rules of one assert block.

use std::sync::Arc;

use super::block::{Block, Disabled};
use super::origin::Origin;
use super::rule::{Dropped, Entry, Rule};
use super::rule_index::RuleIndex;
use crate::diagnostic::{Span, Spanned};
use crate::model::Toggle;
use crate::outcome::Level;
use crate::variables::Filling;

/// Takes what the registered rules make of an assert block.
pub(crate) struct Collector<'c, 'f> {
    pub(crate) filling: &'c mut Filling<'f>,
    /// What the block says so far.
    pub(crate) block: Block,
    level: Level,
    /// The rules of the block.
    known: RuleIndex,
}

impl<'c, 'f> Collector<'c, 'f> {
    pub(crate) fn new(level: Level, filling: &'c mut Filling<'f>) -> Self {
        Self { filling, block: Block::default(), level, known: RuleIndex::default() }
    }

    /// The origin of what is written at `span`.
    pub(crate) fn origin(&self, span: Span) -> Origin {
        let source = Arc::clone(self.filling.source());
        Origin { level: self.level, place: self.filling.place(span), span, source }
    }

    /// What is written for the path, unless it is `false`: that switches off what outer levels say.
    pub(crate) fn switched<'m, T>(
        &mut self,
        path: &'static str,
        written: Option<&'m Spanned<Toggle<T>>>,
    ) -> Option<&'m T> {
        let written = written?;
        if written.value.on().is_none() {
            self.disable(path, written.span);
        }
        written.value.on()
    }

    /// Switches off what outer levels say at the path.
    pub(crate) fn disable(&mut self, path: &'static str, span: Span) {
        let origin = self.origin(span);
        self.block.disabled.push(Disabled { path, origin });
    }

    /// Adds the rule that `compile` makes of what is written at `span`; a duplicate counts once.
    pub(crate) fn add<R: Rule + PartialEq>(
        &mut self,
        span: Span,
        compile: impl FnOnce(&mut Filling<'_>) -> Option<R>,
    ) {
        self.add_at(span, span, compile);
    }

    /// Like [`Collector::add`]; `underlined` stands for the entry when its file is shown.
    pub(crate) fn add_at<R: Rule + PartialEq>(
        &mut self,
        span: Span,
        underlined: Span,
        compile: impl FnOnce(&mut Filling<'_>) -> Option<R>,
    ) {
        let Some(rule) = compile(self.filling) else { return };
        let origin = Origin { span: underlined, ..self.origin(span) };
        let kept = self.known.equal_to(&rule).next().map(|known| known.origin.clone());
        let entry = Entry { rule: Arc::new(rule), origin };
        if let Some(kept) = kept {
            self.block.dropped.push(Dropped { entry, kept });
        } else {
            self.known.insert(&entry);
            self.block.entries.push(entry);
        }
    }
}
