//! Recorded calls that would be refused, for people and programs.

use super::document::{EntryMark, counted};
use super::{Conclusion, DocumentText, Documented};
use ananke_model::model::ReportFormat;
use ananke_trace::outcome::contract::{ContractCounts, ContractReport, RefusedCall};

impl Documented for ContractReport {
    const NAME: &'static str = "contract";
    const FORMATS: &'static [ReportFormat] = &[ReportFormat::Json];
    type Counts = ContractCounts;
    type Body<'b> = &'b Self;

    fn counts(&self) -> ContractCounts {
        self.counts()
    }

    fn body(&self) -> &Self {
        self
    }

    fn write(&self, text: &mut DocumentText) {
        text.heading(&format!("recorded calls to the tools of {}", self.target));
        text.entries("refused", self.refused_calls(), write_call);
        let ContractCounts {
            recordings, calls, ..
        } = self.counts();
        let compared = format!(
            "{} of {}",
            counted(calls, "call"),
            counted(recordings, "recording")
        );
        text.remarks([compared]);
    }
}

/// A call with every place that does not fit.
fn write_call(text: &mut DocumentText, places: &[RefusedCall]) {
    let Some(RefusedCall { call, .. }) = places.first() else {
        return;
    };
    let name = format!("{}({})", call.tool, call.args);
    let place = format!("{}, turn {}, call {}", call.test, call.turn, call.call);
    text.entry(EntryMark::Bad, &name, &place);
    for RefusedCall { path, message, .. } in places {
        let at = match path.as_str() {
            "" => String::new(),
            path => format!("`{path}`: "),
        };
        text.line(&format!("{at}{message}"));
    }
}

/// Whether no call would be refused.
pub fn contract_conclusion(report: &ContractReport) -> Conclusion {
    let ContractCounts { calls, failed, .. } = report.counts();
    Conclusion {
        exit_code: u8::from(failed > 0),
        reason: match failed {
            0 => format!("{} passed", counted(calls, "call")),
            failed => format!("{failed} of {} failed", counted(calls, "call")),
        },
    }
}
