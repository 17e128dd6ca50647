//! What tests cover as people read it: on the terminal and as a page.

mod console;
#[cfg(feature = "html")]
mod html;

pub use console::coverage_text;
#[cfg(feature = "html")]
pub use html::coverage_page;
