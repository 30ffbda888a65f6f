//! Clips to poses: samples channels at a time and multiplies transforms down the node forest.
