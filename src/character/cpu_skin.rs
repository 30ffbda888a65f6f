//! Morphing and skinning on the CPU: rest shapes, bounds, and the twin of the GPU's skinning.
