//! The walk of the running attempt: what the attempts at a test and the conversation of each say to each other.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// The actions that a walk takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WalkRoute {
    /// Any that are possible, chosen by the random numbers of the walk of this number, counted from 1.
    Explore(u32),
    /// The actions of a walk that was explored before, or a part of them.
    Given(Vec<String>),
}

/// The walk of the running attempt: where it goes, and what is found out on the way.
#[derive(Clone, Debug)]
pub(crate) struct CurrentWalk {
    /// The actions that it takes.
    pub(crate) route: WalkRoute,
    /// The actions that were taken.
    pub(crate) taken: Vec<String>,
    /// At how many steps each action was possible.
    pub(crate) possible: BTreeMap<String, u64>,
    /// Whether a given action was not possible.
    pub(crate) has_left_route: bool,
    /// The text of its recording, if it was recorded in memory.
    pub(crate) recording: Option<String>,
}

impl CurrentWalk {
    /// The beginning of a walk.
    pub(crate) fn of(route: WalkRoute) -> Self {
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
pub(crate) type SharedWalk = Arc<Mutex<CurrentWalk>>;
