//! One renderer a file.
