//! The end of an exchange.

/// The end of an exchange, apart from what the agent itself reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With the protocol's terminal event.
    Terminal,
    /// The time was up.
    Timeout,
    /// It was asked to stop.
    Cancelled,
}
