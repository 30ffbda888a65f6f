//! The parameter registry.
