//! JOINTS_n and WEIGHTS_n to at most eight influences a vertex.

use gltf::json;
use json::mesh::Semantic;
use json::validation::Checked;

use super::accessors::Accessors;
use super::error::LoadError;
use super::palette::SkinEntries;
use crate::character::data::{Influences, MAX_INFLUENCES};

/// Sets of four looked at; more than 32 influences a vertex are a fault of the file.
const MAX_SETS: u32 = 8;
/// Sums of weights below this count as none: the smallest weight that a byte holds is 0.004.
const ZERO_SUM: f64 = 1e-6;
/// Sums this far from one are told of: four weights in bytes may be off by 0.008 without any fault.
const TOLD_SUM: f64 = 0.02;

/// Vertices that needed mending, for the warnings.
#[derive(Default)]
struct Mended {
    zero_sum: usize,
    out_of_range: usize,
    negative: usize,
    renormalized: usize,
}

/// The influences of every vertex of a primitive; `None` when it carries no usable set and is static.
///
/// # Errors
/// Those of [`Accessors::floats`].
pub(super) fn read(
    accessors: &Accessors,
    primitive: &json::mesh::Primitive,
    place: &str,
    vertex_count: usize,
    skin: SkinEntries,
) -> Result<Option<Vec<Influences>>, LoadError> {
    let ctx = accessors.ctx;
    let mut sets = Vec::new();
    let attribute = |semantic| primitive.attributes.get(&Checked::Valid(semantic)).map(|index| index.value());
    for set in 0..=MAX_SETS {
        let (Some(joints), Some(weights)) =
            (attribute(Semantic::Joints(set)), attribute(Semantic::Weights(set)))
        else {
            if attribute(Semantic::Joints(set)).or(attribute(Semantic::Weights(set))).is_some() {
                ctx.warn(format!("{place} has only one of JOINTS_{set} and WEIGHTS_{set}, which is ignored"));
            }
            break;
        };
        if set == MAX_SETS {
            ctx.warn(format!(
                "{place} has more than {} influences a vertex; the rest is ignored",
                MAX_SETS * 4
            ));
            break;
        }
        let expected = vertex_count as u64;
        if accessors.count(joints, place)? != expected || accessors.count(weights, place)? != expected {
            ctx.warn(format!(
                "{place} has a JOINTS_{set} or WEIGHTS_{set} of another length, which is ignored"
            ));
            break;
        }
        sets.push((accessors.integers::<4>(joints, place)?, accessors.floats::<4>(weights, place)?));
    }
    if sets.is_empty() || skin.count == 0 {
        return Ok(None);
    }

    let mut mended = Mended::default();
    let mut pairs = Vec::with_capacity(sets.len() * 4);
    let mut influences = Vec::with_capacity(vertex_count);
    for vertex in 0..vertex_count {
        pairs.clear();
        for (joints, weights) in &sets {
            pairs.extend(joints[vertex].into_iter().zip(weights[vertex].map(f64::from)));
        }
        influences.push(reduce(&mut pairs, skin, &mut mended));
    }
    let count_of = |count: usize, what: &str| {
        if count > 0 {
            ctx.warn(format!("{place} has {count} vertices {what}"));
        }
    };
    count_of(mended.zero_sum, "whose weights sum to zero; they follow the skin's first joint");
    count_of(
        mended.out_of_range,
        "that name joints which the skin does not have; those influences are ignored",
    );
    count_of(mended.renormalized, "whose weights do not sum to one; they are renormalised");
    count_of(mended.negative, "with weights that are negative or not numbers; those influences are ignored");
    Ok(Some(influences))
}

/// Merges equal joints, keeps the largest eight and makes them sum to one.
fn reduce(pairs: &mut Vec<(u32, f64)>, skin: SkinEntries, mended: &mut Mended) -> Influences {
    let (mut out_of_range, mut negative) = (false, false);
    pairs.retain(|(joint, weight)| {
        let sound = *weight >= 0.0 && weight.is_finite();
        negative |= !sound;
        let known = (*joint as usize) < skin.count;
        out_of_range |= sound && *weight > 0.0 && !known;
        sound && *weight > 0.0 && known
    });
    mended.negative += usize::from(negative);
    mended.out_of_range += usize::from(out_of_range);
    let mut kept = 0;
    for i in 0..pairs.len() {
        let (joint, weight) = pairs[i];
        match pairs[..kept].iter().position(|(other, _)| *other == joint) {
            Some(at) => pairs[at].1 += weight,
            None => {
                pairs[kept] = (joint, weight);
                kept += 1;
            }
        }
    }
    pairs.truncate(kept);
    let stored_sum: f64 = pairs.iter().map(|(_, weight)| weight).sum();
    // The sort is stable: of equal weights the earlier slot wins.
    pairs.sort_by(|a, b| b.1.total_cmp(&a.1));
    pairs.truncate(MAX_INFLUENCES);
    let sum: f64 = pairs.iter().map(|(_, weight)| weight).sum();
    if sum < ZERO_SUM || !sum.is_finite() {
        mended.zero_sum += 1;
        return Influences::rigid(skin.first);
    }
    mended.renormalized += usize::from((stored_sum - 1.0).abs() > TOLD_SUM);
    let mut influences = Influences { joints: [0; MAX_INFLUENCES], weights: [0.0; MAX_INFLUENCES] };
    for (slot, (joint, weight)) in pairs.iter().enumerate() {
        let weight = (weight / sum) as f32;
        if weight > 0.0 {
            influences.joints[slot] = skin.first + *joint as u16;
            influences.weights[slot] = weight;
        }
    }
    influences
}
