//! Collects the rules of one assert block.

use std::collections::HashMap;
use std::sync::Arc;

use super::block::{Block, Disabled};
use super::rule::{DroppedRule, Rule, RuleEntry};
use crate::evaluation::RuleOrigin;
use ananke_base::diagnostic::{Span, Spanned};
use ananke_model::model::Toggle;
use ananke_model::variables::Interpolation;
use ananke_trace::outcome::Level;

/// Takes what the registered rules make of an assert block.
pub(crate) struct Collector<'c, 'f> {
    pub(crate) interpolation: &'c mut Interpolation<'f>,
    /// The block so far.
    pub(crate) block: Block,
    /// The path of the rule that is read.
    pub(crate) path: &'static str,
    level: Level,
    /// The rules of the block, and where each is defined.
    known: HashMap<Arc<dyn Rule>, RuleOrigin>,
}

impl<'c, 'f> Collector<'c, 'f> {
    pub(crate) fn new(level: Level, interpolation: &'c mut Interpolation<'f>) -> Self {
        Self {
            interpolation,
            block: Block::default(),
            path: "",
            level,
            known: HashMap::new(),
        }
    }

    /// The origin of what is written at `span`.
    pub(crate) fn origin(&self, span: Span) -> RuleOrigin {
        let source = Arc::clone(self.interpolation.source());
        RuleOrigin {
            level: self.level,
            place: self.interpolation.place(span),
            span,
            whole: span,
            source,
        }
    }

    /// The value of the rule that is read, unless it is `false`: that switches off the values of outer levels.
    pub(crate) fn switched<'m, T>(
        &mut self,
        written: Option<&'m Spanned<Toggle<T>>>,
    ) -> Option<&'m T> {
        let written = written?;
        if written.value.on().is_none() {
            self.disable(written.span);
        }
        written.value.on()
    }

    /// Switches off what outer levels say of the rule that is read.
    pub(crate) fn disable(&mut self, span: Span) {
        let origin = self.origin(span);
        self.block.disabled.push(Disabled {
            path: self.path,
            origin,
        });
    }

    /// The rule that is read, as written at `span`.
    pub(crate) fn entry<R: Rule>(&self, rule: R, span: Span) -> RuleEntry {
        RuleEntry {
            path: self.path,
            rule: Arc::new(rule),
            origin: self.origin(span),
        }
    }

    /// Adds the rule that `compile` makes of what is written at `span`; a duplicate counts once.
    pub(crate) fn add<R: Rule>(
        &mut self,
        span: Span,
        compile: impl FnOnce(&mut Interpolation<'_>) -> Option<R>,
    ) {
        self.add_at(span, span, compile);
    }

    /// Like [`Collector::add`]; `underlined` is the part of the entry that is underlined when its file is shown.
    pub(crate) fn add_at<R: Rule>(
        &mut self,
        span: Span,
        underlined: Span,
        compile: impl FnOnce(&mut Interpolation<'_>) -> Option<R>,
    ) {
        let Some(rule) = compile(self.interpolation) else {
            return;
        };
        let mut entry = self.entry(rule, span);
        entry.origin.span = underlined;
        if let Some(kept) = self.known.get(&entry.rule) {
            self.block.dropped.push(DroppedRule {
                entry,
                kept: kept.clone(),
            });
        } else {
            self.known
                .insert(Arc::clone(&entry.rule), entry.origin.clone());
            self.block.entries.push(entry);
        }
    }
}
