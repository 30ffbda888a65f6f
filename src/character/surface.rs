//! The skinned surface on the GPU: what mesh, growth, boids and wrinkles read.
