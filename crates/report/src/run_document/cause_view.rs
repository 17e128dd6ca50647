//! The causes of a run as readers get them.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;

use super::part;
use ananke_trace::outcome::{CommonCause, FailureReason, Specimen};

part! {
    /// What several tests failed of: their findings of one reason.
    #[derive(Debug, Serialize, JsonSchema)]
    #[schemars(rename = "Cause")]
    pub(crate) struct CauseView<'a> of (cause: &'a CommonCause) {
        /// The key that the findings share, as the `reason` of an assertion.
        #[schemars(extend("x-since" = "1.2"))]
        reason!: Cow<'a, FailureReason> = Cow::Borrowed(&cause.reason);
        /// The finding on one line, with `…` for the values that differ from test to test.
        #[schemars(extend("x-since" = "1.2"))]
        sentence!: Cow<'a, str> = Cow::Borrowed(&cause.sentence);
        /// The number of findings.
        #[schemars(extend("x-since" = "1.2"))]
        findings!: usize = cause.findings;
        /// The number of tests that have one.
        #[schemars(extend("x-since" = "1.2"))]
        tests!: usize = cause.tests;
        /// The first of these tests.
        #[schemars(extend("x-since" = "1.2"))]
        specimen!: SpecimenView<'a> = SpecimenView::of(&cause.specimen);
    }
}

part! {
    /// A test as an example of a cause.
    #[derive(Debug, Serialize, JsonSchema)]
    #[schemars(rename = "Specimen")]
    pub(crate) struct SpecimenView<'a> of (specimen: &'a Specimen) {
        /// The test's id.
        #[schemars(extend("x-since" = "1.2"))]
        id!: Cow<'a, str> = Cow::Borrowed(&specimen.id);
        /// The file of the rule that failed; of an error that of the test.
        #[schemars(extend("x-since" = "1.2"))]
        file!: Cow<'a, str> = Cow::Borrowed(&specimen.file);
        /// The line in the file, from 1.
        #[schemars(extend("x-since" = "1.2"))]
        line!: u32 = specimen.line;
    }
}
