//! The integration tests: one binary, one module a subject.

mod load;
mod report;
mod schema;
mod tidy;
