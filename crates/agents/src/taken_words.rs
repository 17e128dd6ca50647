//! What a mapping takes of an event, for people who look for a wrong path.

use std::fmt;

/// What is taken of an event, in lines. They are made only for a receiver that shows them.
#[derive(Clone, Copy)]
pub struct TakenWords<'a>(&'a dyn Fn() -> Vec<String>);

impl<'a> TakenWords<'a> {
    /// Lines that `make` returns, one for each path that finds something.
    pub fn new(make: &'a dyn Fn() -> Vec<String>) -> Self {
        Self(make)
    }

    /// Makes the lines, which costs a search of the event.
    pub fn lines(self) -> Vec<String> {
        (self.0)()
    }
}

impl fmt::Debug for TakenWords<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.lines()).finish()
    }
}
