//! The integration tests: one binary, one module a subject.

mod agree;
mod docs;
mod load;
mod report;
mod rules;
mod schema;
mod support;
mod tidy;
mod wire;
