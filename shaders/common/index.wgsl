// Index of an invocation in a dispatch that `dispatch_size` may have folded into rows of 32,768 workgroups.
// Never asks for num_workgroups, which reads zero in indirect dispatches on some backends.
fn linear_index(global_id: vec3<u32>, workgroup_size: u32) -> u32 {
    return global_id.y * (32768u * workgroup_size) + global_id.x;
}

// The same for a workgroup's index.
fn linear_group(workgroup_id: vec3<u32>) -> u32 {
    return workgroup_id.y * 32768u + workgroup_id.x;
}
