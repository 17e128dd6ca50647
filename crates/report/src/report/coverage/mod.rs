//! The coverage of tests as people read it: on the terminal and as a page.

mod console;
#[cfg(feature = "html")]
mod html;

pub use console::{CoverageGate, coverage_conclusion};
#[cfg(feature = "html")]
use html::coverage_page;
