//! Inside tests and the sampling of a body's volume.
