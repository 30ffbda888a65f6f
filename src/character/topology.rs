//! Welding by rest position, adjacency and rings.
