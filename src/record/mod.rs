//! Pictures and numbered sequences.

pub mod image;
pub mod template;
