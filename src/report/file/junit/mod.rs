//! The report that build servers read: JUnit XML, one suite per test file, one case per test.

mod case;
mod element;
mod junit_report;
mod spool;
mod suite;

pub use junit_report::JunitReport;
