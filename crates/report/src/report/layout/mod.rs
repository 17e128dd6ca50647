//! The layout of text for people: lines wrapped to a width, colours, and the line of counts.

pub(super) mod counts;
mod page;
mod palette;

pub(super) use page::Page;
pub(super) use palette::{Palette, mark};
