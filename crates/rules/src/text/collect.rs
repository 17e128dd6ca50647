//! Collects the rules of a list of texts.

use crate::collector::Collector;
use crate::needle::{ComparedText, Needle};
use crate::rule::Rule;
use ananke_base::diagnostic::Spanned;
use ananke_model::model::{AssertBlock, OneOrMany, Text, Toggle};
use ananke_model::variables::Interpolation;

/// Adds a rule for each of the texts that are written in a block.
pub(super) fn collect<R: Rule>(
    written: Option<&Spanned<Toggle<OneOrMany<Text>>>>,
    block: &AssertBlock,
    read: fn(&Text, ComparedText, &mut Interpolation<'_>) -> Option<Needle>,
    rule: fn(Needle) -> R,
    collector: &mut Collector<'_, '_>,
) {
    let compared = ComparedText::of_prohibitions(block, collector.interpolation.source());
    for text in collector
        .switched(written)
        .into_iter()
        .flat_map(|list| &list.0)
    {
        collector.add(text.span, |interpolation| {
            read(text, compared, interpolation).map(rule)
        });
    }
}
