//! The integration tests: one binary, one module a subject.

mod docs;
mod golden_cases;
mod load;
mod report;
mod schema;
mod tidy;
