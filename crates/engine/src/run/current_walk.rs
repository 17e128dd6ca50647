//! The walk of the running attempt: what the attempts at a test and the conversation of each say to each other.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// The actions that a walk takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum WalkRoute {
    /// Any that are possible, chosen by the random numbers of the walk of this number, counted from 1.
    Explore(u32),
    /// These.
    Given(Vec<String>),
}

/// The walk of the running attempt: where it goes, and what is found out on the way.
#[derive(Clone, Debug)]
pub(super) struct CurrentWalk {
    /// The actions that it takes.
    pub(super) route: WalkRoute,
    /// The actions that were taken.
    pub(super) taken: Vec<String>,
    /// At how many steps each action was possible.
    pub(super) possible: BTreeMap<String, u64>,
    /// Whether a given action was not possible.
    pub(super) has_left_route: bool,
    /// The text of its recording, if it was recorded in memory.
    pub(super) recording: Option<String>,
}

impl CurrentWalk {
    /// The beginning of a walk.
    pub(super) fn of(route: WalkRoute) -> Self {
        Self {
            route,
            taken: Vec::new(),
            possible: BTreeMap::new(),
            has_left_route: false,
            recording: None,
        }
    }
}

/// The walk of the running attempt, which the attempts at a test share.
pub(super) type SharedWalk = Arc<Mutex<CurrentWalk>>;
