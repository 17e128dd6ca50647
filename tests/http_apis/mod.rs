//! Targets of the type `http`: what servers with APIs of their own sent, and every form in which a mapping can be wrong.

mod captured;
