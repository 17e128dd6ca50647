//! Which readers a JUnit report is made for.

/// Which readers a JUnit report is made for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JunitProfile {
    /// What most of them use: with file and line, properties and a transcript for each case.
    #[default]
    Default,
    /// What the schemas of Jenkins' xUnit plugin and of Windy Road both allow: transcripts stand with the suite, and
    /// there is neither file nor line.
    Strict,
}
