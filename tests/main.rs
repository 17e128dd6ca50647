//! The integration tests: one binary, one module a subject.

mod load;
mod schema;
mod tidy;
