//! The integration tests: one binary, one module a subject.

mod agree;
mod load;
mod schema;
mod tidy;
