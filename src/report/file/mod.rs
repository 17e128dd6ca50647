//! Reports in files, a file or folder each.

pub mod html;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod tap;
