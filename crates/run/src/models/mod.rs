//! The models that the agent's own code asks, as one attempt at a test uses them.
//!
//! Flows in: the models of the run, and the scripts of the test. An attempt opens a lane of each (`attempt_models`), and its
//! session is one whose turns the lanes know (`modelled_session`). A program that is started for it gets addresses that name the
//! lanes (`lane_launcher`). Flows out: the calls to the models, as changes between those of the agent, and the problem that ends
//! the test if a model was asked what nothing answers.
//!
//! **Invariant:** a lane is open as long as its attempt, and no longer; only an agent that is really asked has models.

mod attempt_models;
mod lane_launcher;
mod modelled_session;
mod shifted_clock;

pub(crate) use attempt_models::AttemptModels;
pub(crate) use lane_launcher::LaneLauncher;
pub(crate) use modelled_session::ModelledSession;
