//! From a format to the report that writes it.

use std::io;
use std::path::Path;

use super::file_report::{FileOptions, FileReport};
use crate::model::{ReportFormat, report_formats};
use crate::report::reporter::Reporter;

macro_rules! create_each {
    ($($format:ident $name:literal $extension:literal $words:literal $module:ident::$report:ident;)*) => {
        /// A report of this format at `destination`.
        ///
        /// # Errors
        /// Where nothing can be written beside `destination`, or it is a directory.
        pub fn create(
            format: ReportFormat,
            destination: &Path,
            options: &FileOptions,
        ) -> io::Result<Box<dyn Reporter>> {
            match format {
                $(ReportFormat::$format => Ok(Box::new(<super::$module::$report>::create(destination, options)?)),)*
            }
        }
    };
}
report_formats!(create_each);
