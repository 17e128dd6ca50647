//! The blocks of one response as far as they have arrived, and which of them a piece belongs to.
//!
//! **Invariant:** a block that begins at a place that is taken is a new one, and a piece for no open block begins one.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::Value;

use super::block_kind::BlockKind;
use ananke_base::source::received_json::{HalfJoiner, SentText};

/// The blocks of one response, in the order in which they began.
#[derive(Debug, Default)]
pub(super) struct ContentBlocks {
    blocks: Vec<ContentBlock>,
    /// The open block at each place.
    open: HashMap<Option<u64>, usize>,
    /// The block that began last.
    newest: Option<usize>,
}

/// One block as far as it has arrived.
#[derive(Debug)]
pub(super) struct ContentBlock {
    pub(super) kind: BlockKind,
    /// The block as it began.
    pub(super) value: Value,
    /// All of its pieces: text, reasoning or input.
    pub(super) text: String,
    joiner: HalfJoiner,
    /// The id of its message or of its reasoning in the trace, once that has begun.
    pub(super) item: Option<String>,
    /// The key of its call in the trace; empty if it is no call, or one without a name.
    pub(super) key: String,
    /// The tool of its call.
    pub(super) tool: String,
    pub(super) is_done: bool,
}

impl ContentBlocks {
    /// Adds a block that begins at this place. Returns its number, and that of the block that was open there.
    pub(super) fn begin(
        &mut self,
        index: Option<u64>,
        kind: BlockKind,
        value: Value,
    ) -> (usize, Option<usize>) {
        let number = self.blocks.len();
        self.blocks.push(ContentBlock {
            kind,
            value,
            text: String::new(),
            joiner: HalfJoiner::default(),
            item: None,
            key: String::new(),
            tool: String::new(),
            is_done: false,
        });
        self.newest = Some(number);
        (number, self.open.insert(index, number))
    }

    /// The open block at this place. A piece without a place belongs to the newest block.
    pub(super) fn at(&self, index: Option<u64>) -> Option<usize> {
        if let Some(number) = self.open.get(&index) {
            return Some(*number);
        }
        if index.is_some() {
            return None;
        }
        self.newest.filter(|number| !self.blocks[*number].is_done)
    }

    /// Takes it that the block at this place is complete. Returns its number.
    pub(super) fn close(&mut self, index: Option<u64>) -> Option<usize> {
        let number = self.at(index)?;
        self.open.remove(&index);
        Some(number)
    }

    pub(super) fn block(&mut self, number: usize) -> &mut ContentBlock {
        &mut self.blocks[number]
    }

    pub(super) fn count(&self) -> usize {
        self.blocks.len()
    }

    /// The blocks, which are no longer needed here.
    pub(super) fn into_all(self) -> Vec<ContentBlock> {
        self.blocks
    }
}

impl ContentBlock {
    /// Adds a piece of its text. Returns the text that it adds, and whether half of a surrogate pair is alone in it.
    pub(super) fn add<'p>(&mut self, piece: SentText<'p>) -> (Cow<'p, str>, bool) {
        let (delta, has_lone_half) = self.joiner.join(piece);
        self.text.push_str(&delta);
        (delta, has_lone_half)
    }

    /// Ends its text: half of a surrogate pair that waited for the other half is U+FFFD.
    pub(super) fn finish(&mut self) -> Option<char> {
        let lone_half = self.joiner.finish();
        self.text.extend(lone_half);
        lone_half
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn begin(blocks: &mut ContentBlocks, index: Option<u64>) -> (usize, Option<usize>) {
        blocks.begin(index, BlockKind::Text, json!({ "type": "text" }))
    }

    #[test]
    fn a_block_at_a_place_that_is_taken_is_a_new_one() {
        let mut blocks = ContentBlocks::default();
        assert_eq!(begin(&mut blocks, Some(0)), (0, None));
        assert_eq!(begin(&mut blocks, Some(1)), (1, None));
        assert_eq!(begin(&mut blocks, Some(0)), (2, Some(0)));
        assert_eq!(
            (blocks.at(Some(0)), blocks.at(Some(1)), blocks.at(Some(2))),
            (Some(2), Some(1), None)
        );
        assert_eq!(blocks.close(Some(1)), Some(1));
        assert_eq!(blocks.at(Some(1)), None);
    }

    #[test]
    fn a_piece_without_a_place_belongs_to_the_newest_block() {
        let mut blocks = ContentBlocks::default();
        assert_eq!(blocks.at(None), None);
        begin(&mut blocks, Some(0));
        begin(&mut blocks, Some(1));
        assert_eq!(blocks.at(None), Some(1));
        assert_eq!(blocks.close(None), Some(1));
        blocks.block(1).is_done = true;
        assert_eq!(blocks.at(None), None);
    }
}
