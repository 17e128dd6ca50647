//! Time and memory of processes.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How long something took, several times.
pub(crate) struct Times(Vec<Duration>);

impl Times {
    /// Of measurements in any order.
    pub(crate) fn of(mut taken: Vec<Duration>) -> Self {
        taken.sort();
        Self(taken)
    }

    /// The shortest, in seconds: the one that the rest of the machine disturbed least.
    pub(crate) fn best(&self) -> f64 {
        self.0
            .first()
            .map(Duration::as_secs_f64)
            .unwrap_or_default()
    }

    /// The one in the middle, in seconds.
    pub(crate) fn median(&self) -> f64 {
        self.0
            .get(self.0.len() / 2)
            .map(Duration::as_secs_f64)
            .unwrap_or_default()
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

/// Measures the same thing `times` times, after a first time that is not counted.
pub(crate) fn repeat(times: usize, mut once: impl FnMut() -> Duration) -> Times {
    once();
    Times::of((0..times).map(|_| once()).collect())
}

/// A process to start.
pub(crate) struct Process {
    command: Command,
    /// The exit code that is expected.
    code: i32,
}

impl Process {
    /// `program` in `folder`, without input and with its output dropped.
    pub(crate) fn new(program: impl AsRef<OsStr>, folder: &Path, arguments: &[&str]) -> Self {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        Self { command, code: 0 }
    }

    /// The same process, which must exit with `code`.
    pub(crate) fn expecting(self, code: i32) -> Self {
        Self { code, ..self }
    }

    /// The same process on one core, if the machine has the tool for that.
    pub(crate) fn on_one_core(self) -> Self {
        let mut command = Command::new("taskset");
        command
            .args(["--cpu-list", "0"])
            .arg(self.command.get_program())
            .args(self.command.get_args());
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if let Some(folder) = self.command.get_current_dir() {
            command.current_dir(folder);
        }
        let is_there = Command::new("taskset")
            .arg("--version")
            .stdout(Stdio::null())
            .status();
        if is_there.is_ok_and(|status| status.success()) {
            Self { command, ..self }
        } else {
            self
        }
    }

    /// Runs it to its end; its exit code must be the expected one.
    pub(crate) fn run(mut self) -> Duration {
        let started = Instant::now();
        let status = self.command.status().expect("the program can be started");
        let taken = started.elapsed();
        self.must_have_ended_well(status);
        taken
    }

    /// Runs it to its end and returns how many bytes it printed to standard output.
    pub(crate) fn printed(mut self) -> u64 {
        let output = self
            .command
            .stdout(Stdio::piped())
            .output()
            .expect("the program can be started");
        self.must_have_ended_well(output.status);
        output.stdout.len() as u64
    }

    /// Runs it to its end and returns its peak memory in KiB. The kernel's high-water mark is read until the process is
    /// gone, so only the growth of its last millisecond can be missed. The usage that the kernel counts at the end
    /// would need another crate, and includes the memory of this process.
    pub(crate) fn peak_kib(mut self) -> u64 {
        let mut child = self.command.spawn().expect("the program can be started");
        let path = format!("/proc/{}/status", child.id());
        let mut peak = 0;
        let status = loop {
            let mark = std::fs::read_to_string(&path)
                .ok()
                .and_then(|status| high_water_mark(&status));
            peak = peak.max(mark.unwrap_or_default());
            if let Some(status) = child.try_wait().expect("the program can be waited for") {
                break status;
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        self.must_have_ended_well(status);
        peak
    }

    /// Runs it to its end under callgrind and returns the number of instructions; `None` where valgrind is not installed.
    pub(crate) fn instructions(self) -> Option<u64> {
        let mut counted = Command::new("valgrind");
        counted
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(self.command.get_program())
            .args(self.command.get_args())
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        if let Some(folder) = self.command.get_current_dir() {
            counted.current_dir(folder);
        }
        let output = counted.output().ok()?;
        self.must_have_ended_well(output.status);
        let printed = String::from_utf8_lossy(&output.stderr);
        let (_, count) = printed.split_once("Collected : ")?;
        count.split_whitespace().next()?.parse().ok()
    }

    fn must_have_ended_well(&self, status: ExitStatus) {
        assert_eq!(
            status.code(),
            Some(self.code),
            "{:?} ended with {status}",
            self.command
        );
    }
}

/// The processor time of all processes that this one has waited for, as the kernel counts it: in hundredths of a second.
pub(crate) fn time_of_children() -> Duration {
    let status = std::fs::read_to_string("/proc/self/stat").expect("the system is Linux");
    // The name of the program, in brackets, may contain anything; the times of its children are fields 16 and 17.
    let (_, fields) = status.rsplit_once(')').expect("a name in brackets");
    let ticks = fields.split_whitespace().skip(13).take(2);
    let ticks: u64 = ticks
        .map(|field| field.parse::<u64>().expect("ticks"))
        .sum();
    Duration::from_millis(10 * ticks)
}

fn high_water_mark(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}
