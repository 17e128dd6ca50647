//! The messages of a response that its blocks of text are put together to: blocks of text that follow each other are one message,
//! since the API begins a new one for each source that it cites.

use std::collections::HashMap;

/// The messages that may go on.
#[derive(Debug, Default)]
pub(super) struct OpenMessages {
    /// The number of open blocks of each message.
    blocks: HashMap<String, usize>,
    /// The message that the next block of text continues.
    current: Option<String>,
}

impl OpenMessages {
    /// The message that a new block of text continues. None does if another block of it is open, whose text would come in between.
    pub(super) fn continued(&mut self) -> Option<String> {
        let current = self.current.as_ref()?;
        let open = self.blocks.get_mut(current).filter(|open| **open == 0)?;
        *open += 1;
        Some(current.clone())
    }

    /// Begins a message with one open block. Returns the message before it, if that is over.
    pub(super) fn begin(&mut self, id: String) -> Option<String> {
        let over = self.leave();
        self.blocks.insert(id.clone(), 1);
        self.current = Some(id);
        over
    }

    /// Takes it that something else comes, so that no new block continues the message. Returns it if it is over.
    pub(super) fn leave(&mut self) -> Option<String> {
        let id = self.current.take()?;
        if self.blocks.get(&id) == Some(&0) {
            self.blocks.remove(&id);
            return Some(id);
        }
        None
    }

    /// Takes it that a block of this message is complete. Returns whether the message is over.
    pub(super) fn end_block(&mut self, id: &str) -> bool {
        let Some(open) = self.blocks.get_mut(id) else {
            return false;
        };
        *open = open.saturating_sub(1);
        let is_over = *open == 0 && self.current.as_deref() != Some(id);
        if is_over {
            self.blocks.remove(id);
        }
        is_over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_that_follow_each_other_are_one_message() {
        let mut messages = OpenMessages::default();
        assert_eq!(messages.continued(), None);
        assert_eq!(messages.begin("a".to_owned()), None);
        assert_eq!(messages.continued(), None, "a block of it is open");
        assert!(!messages.end_block("a"));
        assert_eq!(messages.continued().as_deref(), Some("a"));
        assert_eq!(messages.leave(), None, "its block is open");
        assert!(messages.end_block("a"));
        assert_eq!(messages.begin("b".to_owned()), None);
        assert!(!messages.end_block("b"));
        assert_eq!(messages.leave().as_deref(), Some("b"));
    }
}
