//! The sinks of A2A: one gets the changes of one moment until it wants no more, another is for requests that are no exchange
//! of their own: that for the agent card, and polls of a task.

use std::borrow::Cow;
use std::ops::ControlFlow;

use ananke_agents::{Sink, Stop, Wire};
use ananke_base::context::At;
use ananke_trace::trace::{AsideSource, Change, MessageKind};

/// Reports the changes of one moment.
pub(super) struct Teller<'s> {
    at: At,
    sink: &'s mut dyn Sink,
    /// Whether the sink wants more.
    pub(super) flow: ControlFlow<Stop>,
}

impl<'s> Teller<'s> {
    pub(super) fn new(at: At, sink: &'s mut dyn Sink) -> Self {
        Self {
            at,
            sink,
            flow: ControlFlow::Continue(()),
        }
    }

    pub(super) fn tell(&mut self, change: Change<'_>) {
        if self.flow.is_continue() {
            self.flow = self.sink.change(self.at, change);
        }
    }

    /// A message of the agent begins.
    pub(super) fn open(&mut self, id: &str) {
        let role = MessageKind::Assistant;
        self.tell(Change::MessageOpened {
            id: Cow::Borrowed(id),
            role,
            subagent: None,
        });
    }

    /// More text of a message.
    pub(super) fn add(&mut self, id: &str, text: &str) {
        self.tell(Change::MessageText {
            id: Cow::Borrowed(id),
            delta: Cow::Borrowed(text),
        });
    }

    /// A message is complete.
    pub(super) fn close(&mut self, id: &str) {
        self.tell(Change::MessageClosed {
            id: Cow::Borrowed(id),
        });
    }

    /// Text next to the answer.
    pub(super) fn aside(&mut self, text: &str) {
        if !text.is_empty() {
            self.tell(Change::Aside {
                text: Cow::Borrowed(text),
                source: AsideSource::Status,
            });
        }
    }

    /// A whole message.
    pub(super) fn say(&mut self, id: &str, text: &str) {
        self.open(id);
        self.add(id, text);
        self.close(id);
    }
}

/// Passes on what is received, but not that something was sent.
pub(super) struct QuietSink<'s> {
    inner: Option<&'s mut dyn Sink>,
}

impl<'s> QuietSink<'s> {
    /// A sink that passes on to `inner`, or to nothing.
    pub(super) fn new(inner: Option<&'s mut dyn Sink>) -> Self {
        Self { inner }
    }
}

impl Sink for QuietSink<'_> {
    fn wire(&mut self, at: At, wire: Wire<'_>) {
        if let (Some(inner), Wire::Frame(_)) = (&mut self.inner, wire) {
            inner.wire(at, wire);
        }
    }

    fn change(&mut self, at: At, change: Change<'_>) -> ControlFlow<Stop> {
        match &mut self.inner {
            Some(inner) => inner.change(at, change),
            None => ControlFlow::Continue(()),
        }
    }
}
