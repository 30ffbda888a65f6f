//! Branches by space colonization.
