//! Reports for build servers that read what a program prints.

pub mod github;
