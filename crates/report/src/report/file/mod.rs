//! Reports in files, a file or folder each.

mod file_report;
#[cfg(feature = "html")]
pub mod html;
pub mod json;
#[cfg(feature = "junit")]
pub mod junit;
pub mod markdown;
mod named_report;
mod registry;
pub mod tap;

pub use file_report::{FileOptions, FileReport};
pub use named_report::{NamedReport, not_written, report_or_error};
pub use registry::{create_report, is_report, words_of_format};
