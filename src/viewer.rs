//! Owns everything but the window.
