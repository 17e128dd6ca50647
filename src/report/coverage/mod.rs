//! What tests cover as people read it: on the terminal and as a page.

mod console;
#[cfg(feature = "html")]
mod html;
