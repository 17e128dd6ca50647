//! Targets of the type `http`: what servers with APIs of their own sent, and what is wrong with a mapping or a response.

mod addresses;
mod arguments;
mod captured;
mod order;
mod proxied;
mod requests;
mod wrong;
