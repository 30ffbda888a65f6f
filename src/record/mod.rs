//! Pictures and sequences.
