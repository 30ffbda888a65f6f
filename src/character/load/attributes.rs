//! Vertex attributes of one primitive, mended where that is sensible; all by vertex of the POSITION accessor.

use glam::{Vec2, Vec3, Vec4};
use gltf::json::mesh::Semantic;

use super::error::LoadError;
use super::geometry::{Builder, MAX_COORDINATE};
use super::influences;
use super::palette::Palette;
use super::{tangents, triangles};
use crate::character::data::Influences;

impl Builder<'_> {
    /// An attribute whose length is that of POSITION; others are ignored with a warning.
    fn matching(&self, semantic: Semantic, name: &str, count: usize) -> Result<Option<usize>, LoadError> {
        let Some(accessor) = self.attribute(semantic) else { return Ok(None) };
        if self.accessors.count(accessor, &self.place)? == count as u64 {
            return Ok(Some(accessor));
        }
        self.warn(&format!("has a {name} of another length than POSITION, which is ignored"));
        Ok(None)
    }

    pub fn positions(&self, accessor: usize) -> Result<Vec<Vec3>, LoadError> {
        let positions = self.accessors.floats::<3>(accessor, &self.place)?;
        let positions: Vec<Vec3> = positions.into_iter().map(Vec3::from_array).collect();
        let usable = |position: &Vec3| position.abs().max_element() <= MAX_COORDINATE && position.is_finite();
        if let Some(index) = positions.iter().position(|position| !usable(position)) {
            let fault = format!("holds at element {index} a position that is not a usable number");
            return Err(self.accessors.ctx.broken(format!("accessor {accessor}"), fault));
        }
        Ok(positions)
    }

    /// Unit normals of the file; `None` where it has none.
    pub fn normals(&self, positions: &[Vec3], triangles: &[u32]) -> Result<Option<Vec<Vec3>>, LoadError> {
        let Some(accessor) = self.matching(Semantic::Normals, "NORMAL", positions.len())? else {
            return Ok(None);
        };
        let stored = self.accessors.floats::<3>(accessor, &self.place)?;
        let unit = |normal: [f32; 3]| Vec3::from_array(normal).as_dvec3().try_normalize();
        let mut computed = Vec::new();
        let mut mended = 0;
        let normals = stored.into_iter().enumerate().map(|(vertex, normal)| match unit(normal) {
            Some(normal) => normal.as_vec3(),
            None => {
                mended += 1;
                if computed.is_empty() {
                    computed = triangles::normals(positions, triangles);
                }
                computed[vertex]
            }
        });
        let normals = normals.collect();
        if mended > 0 {
            self.warn(&format!(
                "has {mended} normals without a direction, which are computed from the triangles"
            ));
        }
        Ok(Some(normals))
    }

    /// Unit tangents of the file; `None` where it has none.
    pub fn tangents(&self, normals: &[Vec3]) -> Result<Option<Vec<Vec4>>, LoadError> {
        let Some(accessor) = self.matching(Semantic::Tangents, "TANGENT", normals.len())? else {
            return Ok(None);
        };
        if self.accessors.width(accessor, &self.place)? != 4 {
            self.warn("has a TANGENT that is no VEC4, which is ignored");
            return Ok(None);
        }
        let (tangents, mended) = tangents::sound(self.accessors.floats::<4>(accessor, &self.place)?, normals);
        if mended > 0 {
            self.warn(&format!("has {mended} tangents without a direction, which are made up"));
        }
        Ok(Some(tangents))
    }

    /// TEXCOORD_`set`; `None` where the file has none.
    pub fn uvs(&self, count: usize, set: u32) -> Result<Option<Vec<Vec2>>, LoadError> {
        let name = format!("TEXCOORD_{set}");
        let Some(accessor) = self.matching(Semantic::TexCoords(set), &name, count)? else { return Ok(None) };
        let stored = self.accessors.floats::<2>(accessor, &self.place)?;
        let mut mended = 0;
        let uvs = stored.into_iter().map(|uv| {
            if uv.iter().all(|component| component.abs() <= MAX_COORDINATE) {
                return Vec2::from_array(uv);
            }
            mended += 1;
            Vec2::ZERO
        });
        let uvs = uvs.collect();
        if mended > 0 {
            self.warn(&format!(
                "has {mended} texture coordinates that are no usable numbers and count as zero"
            ));
        }
        Ok(Some(uvs))
    }

    /// COLOR_0, white where absent.
    pub fn colors(&self, count: usize) -> Result<Vec<Vec4>, LoadError> {
        let Some(accessor) = self.matching(Semantic::Colors(0), "COLOR_0", count)? else {
            return Ok(vec![Vec4::ONE; count]);
        };
        let stored: Vec<[f32; 4]> = if self.accessors.width(accessor, &self.place)? == 3 {
            let rgb = self.accessors.floats::<3>(accessor, &self.place)?;
            rgb.into_iter().map(|[r, g, b]| [r, g, b, 1.0]).collect()
        } else {
            self.accessors.floats::<4>(accessor, &self.place)?
        };
        let sound = |component: f32| if component.is_nan() { 0.0 } else { component.clamp(0.0, 1.0) };
        Ok(stored.into_iter().map(|color| Vec4::from_array(color.map(sound))).collect())
    }

    /// What each vertex follows, and whether a skin has a part in it.
    pub fn influences(
        &self,
        count: usize,
        palette: &mut Palette,
    ) -> Result<(Vec<Influences>, bool), LoadError> {
        if let Some(skin) = self.skin {
            let entries = palette.skin(skin)?;
            if let Some(influences) =
                influences::read(self.accessors, self.primitive, &self.place, count, entries)?
            {
                return Ok((influences, true));
            }
            self.warn("has no usable joints and weights although its node has a skin; it follows its node");
        } else if self.attribute(Semantic::Joints(0)).is_some() {
            self.warn("has joints and weights although its node has no skin; it follows its node");
        }
        let entry = palette.rigid(self.ids[0])?;
        Ok((vec![Influences::rigid(entry); count], false))
    }
}
