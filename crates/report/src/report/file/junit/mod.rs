//! The report that CI servers read: JUnit XML, one suite per test file, one case per test.

mod case;
mod element;
mod junit_profile;
mod junit_report;
mod spool;
mod suite;
mod words;

pub(in crate::report) use element::Element;
pub use junit_profile::JunitProfile;
pub use junit_report::JunitReport;
