//! Collects the rules of a list of texts.

use super::needle::Needle;
use crate::collector::Collector;
use crate::rule::Rule;
use ananke_base::diagnostic::Spanned;
use ananke_model::model::{AssertBlock, OneOrMany, Text, TextOf, Toggle};
use ananke_model::variables::Interpolation;

/// Adds a rule for each of the texts that are written in a block.
pub(super) fn collect<R: Rule>(
    written: Option<&Spanned<Toggle<OneOrMany<Text>>>>,
    block: &AssertBlock,
    read: fn(&Text, TextOf, &mut Interpolation<'_>) -> Option<Needle>,
    rule: fn(Needle) -> R,
    collector: &mut Collector<'_, '_>,
) {
    let of = block.text_of();
    for text in collector
        .switched(written)
        .into_iter()
        .flat_map(|list| &list.0)
    {
        collector.add(text.span, |interpolation| {
            read(text, of, interpolation).map(rule)
        });
    }
}
