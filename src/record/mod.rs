//! Pictures and numbered sequences.

pub mod image;
pub mod report;
pub mod sequence;
pub mod template;
