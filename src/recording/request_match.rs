//! How strictly the requests of a replay are compared.

/// How like a recorded request a replayed one must be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RequestMatch {
    /// Equal, but for generated ids.
    #[default]
    Exact,
    /// It may be another (`--replay-loose`).
    Loose,
}
