//! The separation of attempts of one test: each needs a thread of its own.

use crate::project::{Config, ResolvedTarget, Variables};
use ananke_base::diagnostic::{Code, Diagnostic};
use ananke_model::model::Text;
use ananke_model::variables::{Piece, is_reserved, scan};

const HELP: &str = "`--retry-dirty` allows attempts on the same thread";

/// The problem if every attempt would use the same thread; what hooks give may be new each time.
pub(crate) fn fixed_thread(
    target: &ResolvedTarget,
    config: &Config,
    variables: &Variables,
) -> Option<Diagnostic> {
    let again =
        "later attempts would use the thread of the first one, which the agent may remember";
    match &target.model.common.thread_id {
        Some(written) => is_fixed(written, variables).then(|| {
            Diagnostic::error(Code::FixedThread, again)
                .at(&config.source, written.span, "the same for every attempt")
                .help("leave `threadId` out, or build it on `${THREAD_ID}`")
                .help(HELP)
        }),
        None if variables.vars.contains_key("THREAD_ID") && !variables.given.contains_key("THREAD_ID") => {
            Some(
                Diagnostic::error(Code::FixedThread, again)
                    .in_file(&config.source)
                    .help(
                        "leave `THREAD_ID` out of the `vars`, so that each attempt gets a thread of its own",
                    )
                    .help(HELP),
            )
        }
        None => variables.given.contains_key("THREAD_ID").then(|| {
            Diagnostic::error(Code::FixedThread, again)
                .help("leave `--var THREAD_ID=…` out, so that each attempt gets a thread of its own")
                .help(HELP)
        }),
    }
}

/// Whether everything that `text` refers to is known before any hook runs.
fn is_fixed(text: &Text, variables: &Variables) -> bool {
    let is_known = |name: &str| is_reserved(name) || variables.gives(name);
    let pieces = scan(&text.value).unwrap_or_default();
    pieces.iter().all(|piece| match piece {
        Piece::Reference(reference) => is_known(reference.name),
        Piece::Literal(_) => true,
    })
}
