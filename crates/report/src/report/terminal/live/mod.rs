//! The live area of a terminal: what a run waits for, the running tests with the turn each is in, the progress of the run.
//!
//! Events change the `state`, `layout` turns it into rows for a size, and `area` keeps these below everything that is
//! printed. **Invariant:** nothing of the area stays when the run is over, however it ends.

mod area;
mod layout;
mod live_area;
mod state;
mod usual;

pub use layout::LiveOptions;
pub use live_area::LiveArea;
pub use usual::UsualDurations;
