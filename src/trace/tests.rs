//! Tests of the trace.
