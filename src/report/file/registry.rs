//! From a format to the report that writes it.

use std::io;
use std::path::Path;

use super::file_report::{FileOptions, FileReport};
use crate::model::{ReportFormat, report_formats};
use crate::report::reporter::Reporter;

macro_rules! create_each {
    ($($format:ident $name:literal $extension:literal $words:literal $module:ident::$report:ident $(if $feature:literal)?;)*) => {
        /// A report of this format at `destination`.
        ///
        /// # Errors
        /// If nothing can be written next to `destination`, it is a directory, or the Cargo feature of the format is off.
        pub fn create_report(
            format: ReportFormat,
            destination: &Path,
            options: &FileOptions,
        ) -> io::Result<Box<dyn Reporter>> {
            match format {
                $(
                    $(#[cfg(feature = $feature)])?
                    ReportFormat::$format => Ok(Box::new(<super::$module::$report>::create(destination, options)?)),
                    $(
                        #[cfg(not(feature = $feature))]
                        ReportFormat::$format => Err(io::Error::new(
                            io::ErrorKind::Unsupported,
                            concat!("this program was built without the feature `", $feature, "`"),
                        )),
                    )?
                )*
            }
        }
    };
}
report_formats!(create_each);
