//! Which voxels hang together.

use glam::UVec3;

use super::VoxelVolume;

/// A run of set voxels along x.
#[derive(Debug, Clone, Copy)]
struct Run {
    first: u32,
    last: u32,
}

/// The connected components of a volume; voxels that share a face, an edge or a corner are connected.
///
/// Runs along x are joined by union and find, so that memory follows the surface and not the volume.
#[derive(Debug, Clone)]
pub struct Components {
    dims: UVec3,
    runs: Vec<Run>,
    /// Where each (y, z) row's runs begin; one more entry ends the last.
    rows: Vec<u32>,
    /// Component of each run.
    labels: Vec<u32>,
    count: u32,
}

impl Components {
    /// Labels the components in the order of their first voxels.
    #[must_use]
    pub fn new(volume: &VoxelVolume) -> Self {
        let dims = volume.dims;
        let (mut runs, mut rows) = (Vec::<Run>::new(), vec![0]);
        for row in 0..dims.y as usize * dims.z as usize {
            let start = row * dims.x as usize;
            let first_run = runs.len();
            for x in 0..dims.x {
                if !volume.get(start + x as usize) {
                    continue;
                }
                match runs[first_run..].last_mut() {
                    Some(run) if run.last + 1 == x => run.last = x,
                    _ => runs.push(Run { first: x, last: x }),
                }
            }
            rows.push(runs.len() as u32);
        }
        let mut parents: Vec<u32> = (0..runs.len() as u32).collect();
        for z in 0..dims.z as i64 {
            for y in 0..dims.y as i64 {
                // The rows before this one that it touches.
                for (ny, nz) in [(y - 1, z), (y - 1, z - 1), (y, z - 1), (y + 1, z - 1)] {
                    if ny < 0 || nz < 0 || ny >= i64::from(dims.y) {
                        continue;
                    }
                    let row = |y: i64, z: i64| {
                        let row = (z * i64::from(dims.y) + y) as usize;
                        rows[row] as usize..rows[row + 1] as usize
                    };
                    join(&runs, &mut parents, row(y, z), row(ny, nz));
                }
            }
        }
        let mut count = 0;
        let mut labels = vec![0; runs.len()];
        for run in 0..runs.len() as u32 {
            let root = find(&mut parents, run);
            // The root is the least run of its component, so it has been labelled before the others.
            labels[run as usize] = if root == run {
                count += 1;
                count - 1
            } else {
                labels[root as usize]
            };
        }
        Self { dims, runs, rows, labels, count }
    }

    /// Number of components.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The component of a voxel, if it is set.
    #[must_use]
    pub fn of(&self, voxel: UVec3) -> Option<u32> {
        let row = voxel.z as usize * self.dims.y as usize + voxel.y as usize;
        let (first, last) = (*self.rows.get(row)? as usize, *self.rows.get(row + 1)? as usize);
        let at = first + self.runs[first..last].partition_point(|run| run.last < voxel.x);
        (at < last && self.runs[at].first <= voxel.x).then(|| self.labels[at])
    }
}

fn find(parents: &mut [u32], mut run: u32) -> u32 {
    while parents[run as usize] != run {
        parents[run as usize] = parents[parents[run as usize] as usize];
        run = parents[run as usize];
    }
    run
}

/// Joins the runs of two neighbouring rows that touch.
fn join(runs: &[Run], parents: &mut [u32], row: std::ops::Range<usize>, other: std::ops::Range<usize>) {
    let (mut a, mut b) = (row.start, other.start);
    while a < row.end && b < other.end {
        if runs[a].first <= runs[b].last + 1 && runs[b].first <= runs[a].last + 1 {
            let (x, y) = (find(parents, a as u32), find(parents, b as u32));
            parents[x.max(y) as usize] = x.min(y);
        }
        if runs[a].last < runs[b].last { a += 1 } else { b += 1 }
    }
}
