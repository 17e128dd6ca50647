//! The cost of a process.

use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// A process that takes more processor time than this is stopped.
const MOST_SECONDS: f64 = 20.0;
/// The unit of the kernel's processor time (`sysconf(_SC_CLK_TCK)`, which is 100 on Linux).
const TICKS_PER_SECOND: f64 = 100.0;

/// What a process cost.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    /// Processor time of all its threads.
    pub(crate) seconds: f64,
    /// Its peak memory: the kernel's high-water mark.
    pub(crate) mebibytes: f64,
    /// Whether it ended by itself.
    pub(crate) is_complete: bool,
}

impl Cost {
    /// The lower of both costs, in time and in memory.
    pub(crate) fn cheapest(self, other: Self) -> Self {
        Self {
            seconds: self.seconds.min(other.seconds),
            mebibytes: self.mebibytes.min(other.mebibytes),
            is_complete: self.is_complete && other.is_complete,
        }
    }
}

/// Runs a process to its end. It must exit with this code.
pub(crate) fn of(command: &mut Command, code: i32) -> Cost {
    let mut child = command.spawn().expect("the program can be started");
    let mut peak = 0.0_f64;
    let started = Instant::now();
    while shares_memory(&child) {
        std::thread::yield_now();
    }
    // A process that has ended keeps its times until it is waited for, but not its memory: that is read until then.
    let (seconds, has_ended) = loop {
        let Some(mark) = high_water_mark(&child) else {
            break (processor_time(&child), true);
        };
        peak = peak.max(mark);
        // Reading the times costs time, so it is done rarely.
        if started.elapsed().as_secs_f64() > MOST_SECONDS {
            let seconds = processor_time(&child);
            if seconds > MOST_SECONDS {
                break (seconds, false);
            }
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    if !has_ended {
        child.kill().expect("the program can be stopped");
    }
    let status = child.wait().expect("the program can be waited for");
    assert!(
        !has_ended || status.code() == Some(code),
        "{command:?} ended with {status}"
    );
    Cost {
        seconds,
        mebibytes: peak,
        is_complete: has_ended,
    }
}

/// Whether a process still has the memory of this one. The kernel lets the parent go on before it gives the child a memory
/// of its own (`vfork`), so the high-water mark of this process would be taken for the child's.
fn shares_memory(child: &Child) -> bool {
    let program = |process: &str| std::fs::read_link(format!("/proc/{process}/exe")).ok();
    program(&child.id().to_string()).is_some_and(|own| Some(own) == program("self"))
}

/// The most memory that a process has had so far, in MiB; `None` when it has ended.
fn high_water_mark(child: &Child) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let is_gone = status.lines().any(|line| line.starts_with("State:\tZ"));
    let mark = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = mark.and_then(|mark| mark.split_whitespace().next()?.parse::<f64>().ok());
    (!is_gone).then(|| kibibytes.unwrap_or_default() / 1024.0)
}

/// The processor time of all threads of a process so far, in seconds.
fn processor_time(child: &Child) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{}/stat", child.id()))
        .expect("the process was not waited for");
    // The name of the program, in brackets, may contain anything; user and system time are fields 14 and 15.
    let (_, fields) = status.rsplit_once(')').expect("a name in brackets");
    let ticks = fields
        .split_whitespace()
        .skip(11)
        .take(2)
        .map(|field| field.parse::<f64>().expect("ticks"));
    ticks.sum::<f64>() / TICKS_PER_SECOND
}
