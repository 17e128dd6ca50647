//! The parts of a test as values, with every variable filled in: turns, history, client tools, hooks, captures, attached
//! files, rows of data (`rows/`), and where snapshots are kept.
//!
//! Each file compiles one part, leaf by leaf. Nothing here knows which tests run.
//!
//! **Invariant:** problems are reported at their locations; rows of a CSV or JSONL file are never in memory together.

mod attachment;
mod attachment_source;
mod compiled_capture;
mod compiled_client_tool;
mod history;
mod hook;
mod interaction;
mod request_context;
mod rows;
mod simulation;
mod snapshot_files;
mod turn;
mod walk;

pub(crate) use attachment::{AttachmentFiles, FileAccess};
pub(crate) use compiled_capture::check_name;
pub use compiled_capture::{CaptureFrom, CompiledCapture};
pub use compiled_client_tool::{
    CompiledClientTool, CompiledClientTools, CompiledExecution, CompiledMock, CompiledMockAnswer,
    ServedTools,
};
pub(crate) use history::fill_history;
pub use hook::{HookCommand, HookRole, feeds_headers};
pub(crate) use hook::{fill_hook, headers_with};
pub use interaction::CompiledInteraction;
pub(crate) use request_context::request_context;
pub use rows::{NumberedRow, RowEntry, read_csv};
pub(crate) use rows::{Row, Rows};
pub use simulation::{CompiledSimulation, SimulatorSource};
pub(crate) use snapshot_files::{SnapshotFiles, obsolete_snapshots};
pub use turn::PreparedTurn;
pub(crate) use turn::describe_written;
pub use walk::{CompiledAction, WalkPlan};
