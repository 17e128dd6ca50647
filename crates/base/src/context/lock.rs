//! Entry to what threads share.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The content of `mutex`, also if a thread that had it has panicked: every change to it is made as a whole.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
