//! The profiles of a JUnit report for different readers.

/// The profile of a JUnit report, which is made for certain readers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JunitProfile {
    /// The profile that most of them use: with file and line, properties and a transcript for each case.
    #[default]
    Default,
    /// The profile that the schemas of Jenkins' xUnit plugin and of Windy Road both allow: transcripts are part of the
    /// suite, and there is neither file nor line.
    Strict,
}
