//! Standard output of the commands that run nothing.

use std::io::{self, BufWriter, ErrorKind, Write};

use super::exit::Exit;

/// Prints what `write` writes to standard output, and ends with `exit`; with an error if it cannot be written. A reader that goes
/// away ends the printing, nothing else.
pub(super) fn print(exit: Exit, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Exit {
    let mut stdout = BufWriter::new(io::stdout().lock());
    match write(&mut stdout).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            let _ = writeln!(
                io::stderr().lock(),
                "error: cannot write to standard output: {error}"
            );
            Exit::Failure
        }
        _ => exit,
    }
}
