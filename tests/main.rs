//! The integration tests: one binary, one module for each subject.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on fails where it stands"
)]
#![allow(
    clippy::too_many_lines,
    reason = "a test is one story, or a table of cases"
)]

mod a2a;
mod agree;
mod attachments;
mod bad_files;
mod bounds;
mod captured_traces;
mod case_files;
mod case_samples;
mod changes;
mod command_lines;
mod conditional_turns;
mod config;
mod corpus;
mod coverage;
mod data;
mod defaults;
mod docs;
mod documents;
mod empty_values;
mod examples;
mod explained;
mod fixes;
mod freezing;
mod hangs;
mod history;
mod hooks;
mod http_apis;
mod inheritance;
mod init;
mod init_proposals;
mod json_rpc;
mod judges;
mod kept_reports;
mod kept_runs;
mod last_run;
mod left_out;
mod lints;
mod load;
mod masking;
mod mcp;
mod mistakes;
mod mocks;
mod models_of_agents;
mod models_of_runs;
mod mutations;
mod named_tests;
mod newer_forms;
mod normalising;
mod one_writer;
mod open_files;
mod order_soak;
mod other_protocols;
mod outputs;
mod own_servers;
mod project_hooks;
mod promptfoo;
mod proxies;
mod quarantine;
mod recorded_conversations;
mod recorded_models;
mod recorded_test_models;
mod red_screen;
mod repeated_runs;
mod replay;
mod report;
mod retries;
mod rules;
mod running;
mod schema;
mod scripts;
mod secrets;
mod servers;
mod shards;
mod shrinking;
mod signals;
mod snapshots;
mod soak;
mod statistics;
mod strict;
mod support;
mod terminal;
mod trace;
mod variables;
mod watch;
mod while_it_runs;
mod wire;
mod workspace;
