//! Reports in files, a file or folder each.

mod attachments;
mod file_report;
pub mod html;
pub mod json;
pub mod junit;
pub mod markdown;
mod registry;
pub mod tap;

pub use attachments::Attachments;
pub use file_report::{FileOptions, FileReport, JunitProfile};
pub use registry::create;
