//! What came of changes to recordings, as files: for people, for comments of pull requests and for CI servers.

#[cfg(feature = "html")]
mod html;
#[cfg(feature = "junit")]
mod junit;
mod markdown;
mod words;
