//! A comparison of two runs as people and programs read it: on the terminal, as Markdown, as a page, as JSON.

mod baseline_report;
mod console;
#[cfg(feature = "html")]
mod html;
mod json;
mod markdown;
mod tools;
mod words;

pub use baseline_report::BaselineReport;
