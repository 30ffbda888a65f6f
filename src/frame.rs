//! What a frame is.
