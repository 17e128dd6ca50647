//! The report that people read: one HTML file that needs nothing else, not even a network.
//!
//! **Invariant:** what an agent or a file says is data: it is in blocks of JSON or escaped, and the script of the page puts
//! nothing but text into the page. A policy in the page lets browsers run that script alone.

pub(in crate::report) mod assets;
mod html_report;
pub(in crate::report) mod markup;
mod page;
#[cfg(feature = "html")]
mod page_parts;
mod picks;
mod story;
mod view;

pub use html_report::HtmlReport;
#[cfg(feature = "html")]
pub(crate) use page_parts::{Mood, code, escaped, foot, head, table, words};
