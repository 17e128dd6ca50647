//! Rules of the house that no compiler holds.
