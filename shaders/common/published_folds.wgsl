// Folds as first published: a sine along the interpolated direction, whose phase is a place times a direction.
// Needs common/frame.wgsl and common/folds.wgsl.

// Height of the published folds in wavelengths: 4 mm by 6.28 cm.
const PUBLISHED_HEIGHT = 0.0637;

// `strain` and `direction` as interpolated from the corners; `relative` to the eye.
fn published_fold_at(direction: vec3<f32>, strain: f32, relative: vec3<f32>) -> Fold {
    let along = unit_or(direction, vec3<f32>(0.0));
    let share = smoothstep(frame.fold_min, frame.fold_max, -strain);
    let phase = 2.0 * FOLD_PI / frame.fold_wavelength_m * dot(relative + frame.eye, along);
    let slope = frame.fold_depth * PUBLISHED_HEIGHT * 2.0 * FOLD_PI * share;
    return Fold(along * slope * cos(phase), 1.0, 0.0);
}
