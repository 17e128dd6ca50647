//! Processes, timed and weighed.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How long something took, again and again.
pub(crate) struct Times(Vec<Duration>);

impl Times {
    /// As taken, in any order.
    pub(crate) fn of(mut taken: Vec<Duration>) -> Self {
        taken.sort();
        Self(taken)
    }

    /// The shortest, in seconds: the one that the rest of the machine disturbed least.
    pub(crate) fn best(&self) -> f64 {
        self.0.first().map(Duration::as_secs_f64).unwrap_or_default()
    }

    /// The one in the middle, in seconds.
    pub(crate) fn median(&self) -> f64 {
        self.0.get(self.0.len() / 2).map(Duration::as_secs_f64).unwrap_or_default()
    }

    /// Prints a line of the table.
    pub(crate) fn print(&self, what: &str) {
        println!(
            "  {what:<36} best {:>8.1} ms   median {:>8.1} ms   of {}",
            self.best() * 1e3,
            self.median() * 1e3,
            self.0.len()
        );
    }
}

/// Measures the same thing `times` times, after one that does not count.
pub(crate) fn repeat(times: usize, mut once: impl FnMut() -> Duration) -> Times {
    once();
    Times::of((0..times).map(|_| once()).collect())
}

/// A process that is to be started.
pub(crate) struct Process {
    command: Command,
    /// The exit code that it must end with.
    code: i32,
}

impl Process {
    /// `program` in `folder`; it reads and says nothing.
    pub(crate) fn new(program: impl AsRef<OsStr>, folder: &Path, arguments: &[&str]) -> Self {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null());
        Self { command, code: 0 }
    }

    /// The same process, which must end with `code`.
    pub(crate) fn expecting(self, code: i32) -> Self {
        Self { code, ..self }
    }

    /// The same process, kept on one core where the machine has the tool for that.
    pub(crate) fn on_one_core(self) -> Self {
        let mut command = Command::new("taskset");
        command.args(["--cpu-list", "0"]).arg(self.command.get_program()).args(self.command.get_args());
        command.stdin(Stdio::null()).stdout(Stdio::null());
        if let Some(folder) = self.command.get_current_dir() {
            command.current_dir(folder);
        }
        let is_there = Command::new("taskset").arg("--version").stdout(Stdio::null()).status();
        if is_there.is_ok_and(|status| status.success()) { Self { command, ..self } } else { self }
    }

    /// Runs it to its end, which must be a good one.
    pub(crate) fn run(mut self) -> Duration {
        let started = Instant::now();
        let status = self.command.status().expect("the program can be started");
        let taken = started.elapsed();
        self.must_have_ended_well(status);
        taken
    }

    /// Runs it to its end and says how many bytes it printed to standard output.
    pub(crate) fn printed(mut self) -> u64 {
        let output = self.command.stdout(Stdio::piped()).output().expect("the program can be started");
        self.must_have_ended_well(output.status);
        output.stdout.len() as u64
    }

    /// Runs it to its end and says what memory it had at most, in KiB: the kernel's own high-water mark, asked for
    /// until the process is gone, so that only what grew in the last millisecond could be missed. Waiting for the
    /// usage that the kernel counts at the end would need another crate, and counts this process's own memory in.
    pub(crate) fn peak_kib(mut self) -> u64 {
        let mut child = self.command.spawn().expect("the program can be started");
        let path = format!("/proc/{}/status", child.id());
        let mut peak = 0;
        let status = loop {
            let mark = std::fs::read_to_string(&path).ok().and_then(|status| high_water_mark(&status));
            peak = peak.max(mark.unwrap_or_default());
            if let Some(status) = child.try_wait().expect("the program can be waited for") {
                break status;
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        self.must_have_ended_well(status);
        peak
    }

    fn must_have_ended_well(&self, status: ExitStatus) {
        assert_eq!(status.code(), Some(self.code), "{:?} ended with {status}", self.command);
    }
}

fn high_water_mark(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}
