//! Reads accessors: strided, sparse, normalised, with or without bytes, in any component type.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use gltf::json;
use json::accessor::{ComponentType, Type};
use json::validation::Checked;

use super::buffers::Views;
use super::context::Context;
use super::error::LoadError;

/// Reads accessors of one file.
pub(super) struct Accessors<'a> {
    pub ctx: &'a Context<'a>,
    accessors: &'a [json::Accessor],
    views: &'a Views<'a>,
    decoded: RefCell<HashMap<usize, Rc<Decoded>>>,
}

/// Elements that a codec gave in place of an accessor's bytes.
pub(super) struct Decoded {
    /// Components an element.
    pub width: usize,
    /// Number of elements.
    pub count: usize,
    /// What normalised integers are divided by.
    pub component: ComponentType,
    /// `count · width` components as stored, not normalised.
    pub values: Vec<f32>,
}

/// What one element looks like in memory.
#[derive(Clone, Copy)]
struct Element {
    component: ComponentType,
    normalized: bool,
    rows: usize,
    columns: usize,
    /// Bytes from one matrix column to the next: columns begin at multiples of four.
    column_stride: usize,
}

impl Element {
    fn new(component: ComponentType, normalized: bool, type_: Type) -> Self {
        let (columns, rows) = match type_ {
            Type::Scalar => (1, 1),
            Type::Vec2 => (1, 2),
            Type::Vec3 => (1, 3),
            Type::Vec4 => (1, 4),
            Type::Mat2 => (2, 2),
            Type::Mat3 => (3, 3),
            Type::Mat4 => (4, 4),
        };
        let column = rows * component.size();
        let column_stride = if columns > 1 { column.next_multiple_of(4) } else { column };
        Self { component, normalized, rows, columns, column_stride }
    }

    /// Bytes of an element when packed.
    fn stride(&self) -> usize {
        self.columns * self.column_stride
    }

    /// Bytes that are read of an element: without the padding of its last column.
    fn extent(&self) -> usize {
        (self.columns - 1) * self.column_stride + self.rows * self.component.size()
    }

    /// Offset of each component.
    fn offsets<const N: usize>(&self) -> [usize; N] {
        std::array::from_fn(|i| i / self.rows * self.column_stride + i % self.rows * self.component.size())
    }
}

/// A component as it lies in the file.
fn component_f64(component: ComponentType, bytes: &[u8]) -> f64 {
    match component {
        ComponentType::I8 => f64::from(bytes[0] as i8),
        ComponentType::U8 => f64::from(bytes[0]),
        ComponentType::I16 => f64::from(i16::from_le_bytes([bytes[0], bytes[1]])),
        ComponentType::U16 => f64::from(u16::from_le_bytes([bytes[0], bytes[1]])),
        ComponentType::U32 => f64::from(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
        ComponentType::F32 => f64::from(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
    }
}

/// glTF's rule for normalised integers.
fn normalize(component: ComponentType, value: f64) -> f64 {
    match component {
        ComponentType::I8 => (value / 127.0).max(-1.0),
        ComponentType::U8 => value / 255.0,
        ComponentType::I16 => (value / 32767.0).max(-1.0),
        ComponentType::U16 => value / 65535.0,
        ComponentType::U32 => value / f64::from(u32::MAX),
        ComponentType::F32 => value,
    }
}

impl<'a> Accessors<'a> {
    pub fn new(ctx: &'a Context<'a>, accessors: &'a [json::Accessor], views: &'a Views<'a>) -> Self {
        Self { ctx, accessors, views, decoded: RefCell::default() }
    }

    /// Puts decoded elements in the place of accessor `index` until [`Accessors::forget_decoded`].
    pub fn put_decoded(&self, index: usize, decoded: Decoded) {
        self.decoded.borrow_mut().insert(index, Rc::new(decoded));
    }

    /// Returns to what the file's accessors say.
    pub fn forget_decoded(&self) {
        self.decoded.borrow_mut().clear();
    }

    fn decoded(&self, index: usize) -> Option<Rc<Decoded>> {
        self.decoded.borrow().get(&index).cloned()
    }

    /// The bytes of a buffer view, decompressed.
    ///
    /// # Errors
    /// Those of [`Views::view`].
    pub fn view_bytes(&self, view: usize, user: &str) -> Result<&'a [u8], LoadError> {
        Ok(self.views.view(self.ctx, view, user)?.bytes)
    }

    fn get(&self, index: usize, user: &str) -> Result<&'a json::Accessor, LoadError> {
        self.accessors
            .get(index)
            .ok_or_else(|| self.ctx.broken(user, format!("names accessor {index}, which does not exist")))
    }

    fn element(&self, index: usize, user: &str) -> Result<Element, LoadError> {
        let accessor = self.get(index, user)?;
        match (accessor.component_type, accessor.type_) {
            (Checked::Valid(component), Checked::Valid(type_)) => {
                Ok(Element::new(component.0, accessor.normalized, type_))
            }
            _ => Err(self.ctx.broken(format!("accessor {index}"), "has an unknown type or component type")),
        }
    }

    /// Number of elements.
    ///
    /// # Errors
    /// [`LoadError::Broken`] when there is no such accessor.
    pub fn count(&self, index: usize, user: &str) -> Result<u64, LoadError> {
        match self.decoded(index) {
            Some(decoded) => Ok(decoded.count as u64),
            None => Ok(self.get(index, user)?.count.0),
        }
    }

    /// Number of components an element.
    ///
    /// # Errors
    /// [`LoadError::Broken`] when there is no such accessor or its type is unknown.
    pub fn width(&self, index: usize, user: &str) -> Result<usize, LoadError> {
        if let Some(decoded) = self.decoded(index) {
            return Ok(decoded.width);
        }
        let element = self.element(index, user)?;
        Ok(element.columns * element.rows)
    }

    /// Component type and whether it is normalised.
    ///
    /// # Errors
    /// [`LoadError::Broken`] when there is no such accessor or its type is unknown.
    pub fn component(&self, index: usize, user: &str) -> Result<(ComponentType, bool), LoadError> {
        let element = self.element(index, user)?;
        Ok((element.component, element.normalized))
    }

    /// Whether the accessor has bytes of its own.
    pub fn has_data(&self, index: usize) -> bool {
        self.accessors.get(index).is_some_and(|a| a.buffer_view.is_some() || a.sparse.is_some())
    }

    /// All elements as floats; integers are normalised where the accessor says so, else taken as they are.
    ///
    /// # Errors
    /// [`LoadError::Broken`] for a wrong type or bytes out of range, [`LoadError::TooLarge`].
    pub fn floats<const N: usize>(&self, index: usize, user: &str) -> Result<Vec<[f32; N]>, LoadError> {
        self.read(
            index,
            user,
            |component, normalized, value| {
                if normalized { normalize(component, value) as f32 } else { value as f32 }
            },
        )
    }

    /// All elements as whole numbers; floats are rounded, and what is negative or not a number becomes
    /// `u32::MAX`, which no caller finds in range.
    ///
    /// # Errors
    /// As [`Accessors::floats`].
    pub fn integers<const N: usize>(&self, index: usize, user: &str) -> Result<Vec<[u32; N]>, LoadError> {
        self.read(index, user, |_, _, value| if value >= 0.0 { value.round() as u32 } else { u32::MAX })
    }

    fn read<const N: usize, T: Copy + Default>(
        &self,
        index: usize,
        user: &str,
        convert: impl Fn(ComponentType, bool, f64) -> T,
    ) -> Result<Vec<[T; N]>, LoadError> {
        let ctx = self.ctx;
        let accessor = self.get(index, user)?;
        if let Some(decoded) = self.decoded(index) {
            if decoded.width != N {
                let fault = format!("has {} components, but {user} needs {N}", decoded.width);
                return Err(ctx.broken(format!("accessor {index}"), fault));
            }
            ctx.charge((decoded.values.len() * size_of::<T>()) as u64, user)?;
            let one = |value: f32| convert(decoded.component, accessor.normalized, f64::from(value));
            let elements = decoded.values.chunks_exact(N);
            return Ok(elements.map(|element| std::array::from_fn(|i| one(element[i]))).collect());
        }
        let convert = |element: &Element, bytes: &[u8]| {
            convert(element.component, element.normalized, component_f64(element.component, bytes))
        };
        let element = self.element(index, user)?;
        let place = format!("accessor {index}");
        if element.columns * element.rows != N {
            let found = element.columns * element.rows;
            return Err(ctx.broken(place, format!("has {found} components, but {user} needs {N}")));
        }
        let bytes = accessor.count.0.saturating_mul((N * size_of::<T>()) as u64);
        let count =
            usize::try_from(accessor.count.0).map_err(|_| ctx.broken(&*place, "has too many elements"))?;

        let mut values: Vec<[T; N]>;
        if let Some(view) = accessor.buffer_view {
            let view = self.views.view(ctx, view.value(), &place)?;
            let stride = view.stride.unwrap_or_else(|| element.stride());
            let offset = accessor.byte_offset.unwrap_or_default().0;
            let source = strided(view.bytes, offset, stride, count, element.extent())
                .ok_or_else(|| ctx.broken(&*place, "reaches past the end of its buffer view"))?;
            ctx.charge(bytes, &place)?;
            values = Vec::with_capacity(count);
            let offsets = element.offsets::<N>();
            for i in 0..count {
                let start = i * stride;
                values.push(offsets.map(|offset| convert(&element, &source[start + offset..])));
            }
        } else {
            ctx.charge(bytes, &place)?;
            values = vec![[T::default(); N]; count];
        }
        if let Some(sparse) = &accessor.sparse {
            self.apply_sparse(&place, &element, sparse, &mut values, convert)?;
        }
        Ok(values)
    }

    fn apply_sparse<const N: usize, T: Copy>(
        &self,
        place: &str,
        element: &Element,
        sparse: &json::accessor::sparse::Sparse,
        values: &mut [[T; N]],
        convert: impl Fn(&Element, &[u8]) -> T,
    ) -> Result<(), LoadError> {
        let ctx = self.ctx;
        let broken = |fault: &str| ctx.broken(place, fault);
        let Checked::Valid(index_type) = sparse.indices.component_type else {
            return Err(broken("has sparse indices of an unknown type"));
        };
        let index_type = index_type.0;
        let count = usize::try_from(sparse.count.0).unwrap_or(usize::MAX);
        if count > values.len() {
            return Err(broken("has more sparse elements than elements"));
        }

        let view = self.views.view(ctx, sparse.indices.buffer_view.value(), place)?;
        let index_size = index_type.size();
        let indices = strided(view.bytes, sparse.indices.byte_offset.0, index_size, count, index_size)
            .ok_or_else(|| broken("has sparse indices that reach past the end of their buffer view"))?;
        let view = self.views.view(ctx, sparse.values.buffer_view.value(), place)?;
        let stride = element.stride();
        let source = strided(view.bytes, sparse.values.byte_offset.0, stride, count, element.extent())
            .ok_or_else(|| broken("has sparse values that reach past the end of their buffer view"))?;

        let offsets = element.offsets::<N>();
        for i in 0..count {
            let target = component_f64(index_type, &indices[i * index_size..]) as usize;
            let Some(value) = values.get_mut(target) else {
                return Err(broken(&format!("has the sparse index {target} beyond its last element")));
            };
            *value = offsets.map(|offset| convert(element, &source[i * stride + offset..]));
        }
        Ok(())
    }
}

/// The bytes from `offset` on, if `count` elements of `extent` bytes, `stride` apart, fit into them.
fn strided(bytes: &[u8], offset: u64, stride: usize, count: usize, extent: usize) -> Option<&[u8]> {
    if count == 0 {
        return Some(&[]);
    }
    let source = bytes.get(usize::try_from(offset).ok()?..)?;
    let end = stride.checked_mul(count - 1)?.checked_add(extent)?;
    (end <= source.len()).then_some(source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrix_columns_begin_at_multiples_of_four() {
        // The table of glTF 2.0, section 3.6.2.4.
        let element = |component, type_| Element::new(component, false, type_);
        let small = element(ComponentType::U8, Type::Mat3);
        assert_eq!(small.offsets::<9>(), [0, 1, 2, 4, 5, 6, 8, 9, 10]);
        assert_eq!((small.stride(), small.extent()), (12, 11));
        let middle = element(ComponentType::I16, Type::Mat3);
        assert_eq!(middle.offsets::<9>(), [0, 2, 4, 8, 10, 12, 16, 18, 20]);
        assert_eq!(element(ComponentType::U8, Type::Mat2).offsets::<4>(), [0, 1, 4, 5]);
        assert_eq!(element(ComponentType::F32, Type::Mat4).stride(), 64);
        assert_eq!(element(ComponentType::U8, Type::Vec3).stride(), 3, "vectors are packed");
    }
}
