//! Whether judges are asked.

/// Whether judges are asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Judging {
    /// They are.
    #[default]
    Asked,
    /// They are not: their rules are not evaluated.
    LeftOut,
}
