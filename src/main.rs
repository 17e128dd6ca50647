//! The command `ananke`.

fn main() {}
