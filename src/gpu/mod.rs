//! Device, shaders, buffers and passes.
