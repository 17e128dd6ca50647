//! The scripts and judges that answer the questions of a test's rules.

use futures_util::future::BoxFuture;

use super::judges::Judges;
use super::script_oracle::ScriptOracle;
use crate::engine::Oracle;
use ananke_rules::{Decision, Inquiry, Question};
use ananke_trace::outcome::Halt;

/// Answers what the rules of one attempt ask.
pub(super) struct TestOracle<'a> {
    pub(super) scripts: ScriptOracle<'a>,
    pub(super) judges: Judges<'a>,
}

impl Oracle for TestOracle<'_> {
    fn decide<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Result<Decision, Halt>> {
        Box::pin(async move {
            match &question.inquiry {
                Inquiry::Script(script) => self.scripts.decide(script).await,
                Inquiry::Judge(judge) => self.judges.decide(judge).await,
            }
        })
    }
}
