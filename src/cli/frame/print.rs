//! Printing: the one place that writes to standard output and standard error (SPEC 14).

#![expect(
    clippy::disallowed_methods,
    reason = "the one place that writes to the standard streams"
)]

use std::io::{self, BufWriter, ErrorKind, Write};

use ananke::text::escape;

/// Prints what `write` writes to standard output.
///
/// # Errors
/// If it cannot be written.
pub(crate) fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut stdout = BufWriter::new(io::stdout().lock());
    let written = write(&mut stdout).and_then(|()| stdout.flush());
    unless_gone(written).map_err(|error| {
        let message = format!("cannot write to standard output: {error}");
        io::Error::new(error.kind(), message)
    })
}

/// The result of printing: a reader that goes away ends the printing, nothing else.
///
/// # Errors
/// Every other error.
pub(crate) fn unless_gone(written: io::Result<()>) -> io::Result<()> {
    written.or_else(|error| match error.kind() {
        ErrorKind::BrokenPipe => Ok(()),
        _ => Err(error),
    })
}

/// Prints to standard output at once: a program waits for it, or a person. What is from outside is escaped already.
///
/// # Errors
/// If it cannot be written.
pub(crate) fn print_now(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

/// Prints a message to standard error, whatever it quotes. What a closed standard error does not take is lost, nothing else.
pub(crate) fn say(message: &str) {
    say_styled(&format!("{}\n", escape::terminal(message)));
}

/// Prints to standard error as it is: with colours, or over the line before. What is from outside is escaped already.
pub(crate) fn say_styled(text: &str) {
    let _lost = io::stderr().lock().write_all(text.as_bytes());
}

/// The two streams, for what writes to them in threads of its own: standard output and standard error.
pub(crate) fn streams() -> (io::Stdout, io::Stderr) {
    (io::stdout(), io::stderr())
}
