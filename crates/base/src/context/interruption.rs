//! Computing that is given up if it takes too long: a schema that a server has written can take for ever.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::{At, Clock as _, SystemClock};

/// A computation was given up: it took longer than it may, or the program is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupted;

/// The time that the rules of a test, or the checks of a schema, have if nothing else is said (SPEC 14).
pub const COMPUTING_TIME: Duration = Duration::from_secs(30);

/// The number of steps between two looks at the clock.
const STEPS: u32 = 64;

/// Real time, also where that of the agent is virtual or comes from a recording.
static CLOCK: LazyLock<SystemClock> = LazyLock::new(SystemClock::start);

/// Set when the program is to end: no computation goes on.
static IS_OVER: AtomicBool = AtomicBool::new(false);

thread_local! {
    static UNTIL: Cell<Option<At>> = const { Cell::new(None) };
    static TAKEN: Cell<u32> = const { Cell::new(0) };
}

/// Real time since some moment of this process.
pub fn real_time() -> At {
    CLOCK.now()
}

/// Gives up every computation of [`within`], and each that begins from now on: the program is to end.
pub fn give_up_all() {
    IS_OVER.store(true, Ordering::Relaxed);
}

/// Whether the program is to end: what was given up since then may not have taken too long.
pub fn is_everything_given_up() -> bool {
    IS_OVER.load(Ordering::Relaxed)
}

/// Computes, and gives up at the first [`step`] after `time`. What is borrowed by a computation that was given up is in no state
/// that can be relied on.
///
/// # Errors
/// If it was given up.
pub fn within<T>(time: Duration, compute: impl FnOnce() -> T) -> Result<T, Interrupted> {
    let before = UNTIL.get();
    let own = real_time().plus(time);
    UNTIL.set(Some(before.map_or(own, |outer| outer.min(own))));
    let computed = catch_unwind(AssertUnwindSafe(compute));
    UNTIL.set(before);
    computed.map_err(|broken| match broken.downcast::<Interrupted>() {
        Ok(interrupted) => *interrupted,
        Err(panic) => resume_unwind(panic),
    })
}

/// A step of a computation that may have very many of them, such as one subschema. Returns unless there is no time left.
pub fn step() {
    let Some(until) = UNTIL.get() else {
        return;
    };
    let taken = TAKEN.get().wrapping_add(1);
    TAKEN.set(taken);
    if taken.is_multiple_of(STEPS) {
        end_after(until);
    }
}

/// A step of which each may take long, such as one pattern that tries many ways. Returns unless there is no time left.
pub fn costly_step() {
    if let Some(until) = UNTIL.get() {
        end_after(until);
    }
}

fn end_after(until: At) {
    if is_everything_given_up() || real_time() >= until {
        // No message is printed, as a panic would.
        resume_unwind(Box::new(Interrupted));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_computation_without_end_is_given_up() {
        let forever = || -> u32 {
            loop {
                step();
            }
        };
        assert_eq!(within(Duration::ZERO, forever), Err(Interrupted));
        assert_eq!(within(Duration::from_mins(1), || 5), Ok(5));
        // The outer limit counts, and holds afterwards.
        let inner = within(Duration::ZERO, || {
            within(Duration::from_mins(1), forever).is_err()
        });
        assert_eq!(inner, Ok(true));
        assert_eq!(within(Duration::ZERO, costly_step), Err(Interrupted));
        assert_eq!(within(Duration::from_mins(1), costly_step), Ok(()));
        for _ in 0..=STEPS {
            step();
        }
    }

    #[test]
    #[should_panic(expected = "of another kind")]
    fn a_panic_stays_one() {
        let _never = within(Duration::from_mins(1), || panic!("of another kind"));
    }
}
