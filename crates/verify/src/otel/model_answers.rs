//! The answers of the models that are running: a tool that begins before the answer ends was asked for in it.
//!
//! **Invariant:** calls are made in the order in which the model asked for them, also where their spans have another one.

use std::collections::{HashMap, VecDeque};

use crate::message_item::MessageItem;

/// The most running models among which a call is looked for.
const MOST: usize = 8;

/// The answers of running models, each with its span.
#[derive(Default)]
pub(super) struct ModelAnswers {
    open: Vec<(usize, OpenAnswer)>,
}

/// An answer of which a part may have been read before its end.
struct OpenAnswer {
    /// The agent or subagent, and its run.
    run: Option<u64>,
    subagent: Option<String>,
    items: VecDeque<MessageItem>,
    /// The number of items that have been taken.
    taken: usize,
    by_id: HashMap<String, usize>,
    /// The calls that have no id, or that a span without one may execute.
    by_tool: HashMap<Option<String>, VecDeque<usize>>,
}

impl ModelAnswers {
    /// A model begins, at this index among the spans, whose answer is `items`.
    pub(super) fn begin(
        &mut self,
        span: usize,
        run: Option<u64>,
        subagent: Option<&str>,
        items: Vec<MessageItem>,
    ) {
        if items.is_empty() {
            return;
        }
        let mut answer = OpenAnswer {
            run,
            subagent: subagent.map(str::to_owned),
            items: VecDeque::new(),
            taken: 0,
            by_id: HashMap::new(),
            by_tool: HashMap::new(),
        };
        for (place, item) in items.iter().enumerate() {
            if let MessageItem::Calls { id, name, .. } = item {
                let places = answer.by_tool.entry(name.clone()).or_default();
                places.push_back(place);
                if let Some(id) = id {
                    answer.by_id.entry(id.clone()).or_insert(place);
                }
            }
        }
        answer.items = items.into();
        self.open.push((span, answer));
    }

    /// A tool begins in this run: what a running model said up to the call, which was said before.
    pub(super) fn until_call(
        &mut self,
        run: Option<u64>,
        subagent: Option<&str>,
        id: Option<&str>,
        tool: Option<&str>,
    ) -> Vec<MessageItem> {
        for (_, answer) in self.open.iter_mut().rev().take(MOST) {
            if answer.run == run
                && answer.subagent.as_deref() == subagent
                && let Some(place) = answer.place(id, tool)
            {
                return answer.until(place);
            }
        }
        Vec::new()
    }

    /// The model at this index ends: what is left of its answer.
    pub(super) fn end(&mut self, span: usize) -> Vec<MessageItem> {
        let place = self.open.iter().rposition(|(own, _)| *own == span);
        let answer = place.map(|place| self.open.remove(place).1);
        answer.map(|answer| answer.items.into()).unwrap_or_default()
    }
}

impl OpenAnswer {
    /// The place of a call that has not been taken.
    fn place(&mut self, id: Option<&str>, tool: Option<&str>) -> Option<usize> {
        if let Some(place) = id.and_then(|id| self.by_id.get(id)) {
            return Some(*place).filter(|place| *place >= self.taken);
        }
        let places = self.by_tool.get_mut(&tool.map(str::to_owned))?;
        while places.front().is_some_and(|place| *place < self.taken) {
            places.pop_front();
        }
        let place = *places.front()?;
        match self.items.get(place - self.taken) {
            // Two ids that are different are two calls.
            Some(MessageItem::Calls { id: Some(_), .. }) if id.is_some() => None,
            _ => Some(place),
        }
    }

    /// The items up to this place.
    fn until(&mut self, place: usize) -> Vec<MessageItem> {
        let count = place + 1 - self.taken;
        self.taken = place + 1;
        self.items.drain(..count).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: Option<&str>, name: &str) -> MessageItem {
        MessageItem::Calls {
            id: id.map(str::to_owned),
            name: Some(name.to_owned()),
            args: None,
        }
    }

    #[test]
    fn what_a_model_said_before_a_call_comes_before_it() {
        let text = MessageItem::Says(Some("Wait".to_owned()));
        let items = [
            text.clone(),
            call(Some("a"), "look"),
            call(Some("b"), "pay"),
        ];
        let mut answers = ModelAnswers::default();
        answers.begin(3, Some(1), None, items.to_vec());
        assert!(
            answers
                .until_call(Some(2), None, Some("a"), None)
                .is_empty(),
            "another run"
        );
        assert!(
            answers
                .until_call(Some(1), None, Some("c"), Some("pay"))
                .is_empty(),
            "another id"
        );
        let found = answers.until_call(Some(1), None, Some("b"), Some("pay"));
        assert_eq!(found, items, "in the order of the model");
        assert!(
            answers
                .until_call(Some(1), None, Some("a"), Some("look"))
                .is_empty(),
            "taken"
        );
        assert!(answers.end(3).is_empty());
    }

    #[test]
    fn calls_without_ids_are_found_by_their_tools_in_order() {
        let items = [call(None, "pay"), call(None, "pay"), call(None, "look")];
        let mut answers = ModelAnswers::default();
        answers.begin(0, None, None, items.to_vec());
        for _ in 0..2 {
            let found = answers.until_call(None, None, Some("x"), Some("pay"));
            assert_eq!(found, [call(None, "pay")]);
        }
        assert!(answers.until_call(None, None, None, Some("pay")).is_empty());
        assert_eq!(answers.end(0), [call(None, "look")]);
    }
}
