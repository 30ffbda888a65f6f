//! The flock and the field that steers it.
