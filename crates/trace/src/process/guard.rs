//! The guard: a second process of this program, which kills the process groups of the first one if that is killed itself.
//!
//! Flows in: one line for each group that begins, `+42`, and for each that is over, `-42`. **Invariant:** the guard ends when the
//! program ends, however it does, and then no group that began is left.

use std::collections::BTreeSet;
use std::io::{self, BufRead, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process_group};

/// The first argument of this program when it is a guard. The command line does not know it.
pub const GUARD: &str = "guard";

/// The program's side of its guard. It is started with the first group.
pub(super) struct Guard {
    /// The program, until it is started.
    program: Option<PathBuf>,
    input: Option<ChildStdin>,
}

impl Guard {
    /// No guard.
    pub(super) const fn none() -> Self {
        Self {
            program: None,
            input: None,
        }
    }

    /// The guard will be `program`.
    pub(super) fn of(program: PathBuf) -> Self {
        Self {
            program: Some(program),
            input: None,
        }
    }

    /// The group of this leader begins.
    pub(super) fn begins(&mut self, leader: i32) {
        if let Some(program) = self.program.take() {
            // Without a guard, groups outlive a program that is killed, and nothing else changes.
            self.input = start(&program).ok();
        }
        self.write('+', leader);
    }

    /// The group of this leader is over.
    pub(super) fn ends(&mut self, leader: i32) {
        self.write('-', leader);
    }

    fn write(&mut self, what: char, leader: i32) {
        let line = format!("{what}{leader}\n");
        if self
            .input
            .as_mut()
            .is_some_and(|input| input.write_all(line.as_bytes()).is_err())
        {
            self.input = None;
        }
    }
}

/// Starts the guard in a group of its own, so that it outlives what ends this one, and without anything that is open here.
fn start(program: &Path) -> io::Result<ChildStdin> {
    let mut command = Command::new(program);
    command
        .arg(GUARD)
        .env_clear()
        .current_dir("/")
        .process_group(0);
    let mut guard = command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    guard
        .stdin
        .take()
        .ok_or_else(|| io::ErrorKind::BrokenPipe.into())
}

/// Is the guard of the program that writes to `input`: when that ends, every group that began and is not over is killed.
pub fn guard(input: impl BufRead) {
    let mut leaders = BTreeSet::new();
    for line in input.lines().map_while(Result::ok) {
        let (began, number) = (line.strip_prefix('+'), line.strip_prefix('-'));
        let Some(leader) = began
            .or(number)
            .and_then(|number| number.parse::<i32>().ok())
        else {
            continue;
        };
        // No program has the numbers below.
        if began.is_some() && leader > 1 {
            leaders.insert(leader);
        } else {
            leaders.remove(&leader);
        }
    }
    for leader in leaders.into_iter().filter_map(Pid::from_raw) {
        let _is_gone = kill_process_group(leader, Signal::KILL);
    }
}
