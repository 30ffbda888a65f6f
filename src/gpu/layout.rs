//! Rust structs that mirror WGSL ones, described so that a test can compare them field by field.

/// Scalar kind of a field, as WGSL sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalar {
    /// `f32` and its vectors and matrices.
    Float,
    /// `u32` and its vectors.
    Uint,
    /// `i32` and its vectors.
    Sint,
}

/// A type that may be a field of a GPU struct.
pub trait FieldType: bytemuck::Pod {
    /// Its scalar kind.
    const SCALAR: Scalar;
}

macro_rules! field_types {
    ($($scalar:ident: $($ty:ty),*;)*) => { $($(impl FieldType for $ty { const SCALAR: Scalar = Scalar::$scalar; })*)* };
}

field_types! {
    Float: f32, glam::Vec2, glam::Vec3, glam::Vec4, glam::Mat4;
    Uint: u32, glam::UVec2, glam::UVec3, glam::UVec4;
    Sint: i32, glam::IVec2, glam::IVec3, glam::IVec4;
}

impl<T: FieldType, const N: usize> FieldType for [T; N]
where
    [T; N]: bytemuck::Pod,
{
    const SCALAR: Scalar = T::SCALAR;
}

/// One field of a mirrored struct.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Its name, equal in WGSL.
    pub name: &'static str,
    /// Bytes from the struct's start.
    pub offset: usize,
    /// Its size in bytes.
    pub size: usize,
    /// Its scalar kind.
    pub scalar: Scalar,
}

/// A mirrored struct as data.
#[derive(Debug, Clone)]
pub struct Mirror {
    /// The struct's name, equal in WGSL.
    pub name: &'static str,
    /// Its size in bytes, the stride of an array of it.
    pub size: usize,
    /// Its fields in order.
    pub fields: Vec<Field>,
}

/// A struct declared with [`gpu_struct!`](crate::gpu_struct).
pub trait GpuStruct: bytemuck::Pod {
    /// The struct as data.
    fn mirror() -> Mirror;
}

/// Declares a `#[repr(C)]` plain-data struct with the same name and fields as one in WGSL.
///
/// A test finds the WGSL struct in every shader that has it and compares names, offsets, kinds and sizes.
/// Padding is written out as fields on both sides.
#[macro_export]
macro_rules! gpu_struct {
    ($(#[$meta:meta])* pub struct $name:ident { $($(#[$field_meta:meta])* pub $field:ident: $ty:ty,)* }) => {
        $(#[$meta])*
        #[repr(C)]
        #[derive(Debug, Clone, Copy, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
        pub struct $name { $($(#[$field_meta])* pub $field: $ty,)* }
        impl $crate::gpu::GpuStruct for $name {
            fn mirror() -> $crate::gpu::Mirror {
                $crate::gpu::Mirror {
                    name: stringify!($name),
                    size: std::mem::size_of::<$name>(),
                    fields: vec![$($crate::gpu::Field {
                        name: stringify!($field),
                        offset: std::mem::offset_of!($name, $field),
                        size: std::mem::size_of::<$ty>(),
                        scalar: <$ty as $crate::gpu::layout::FieldType>::SCALAR,
                    },)*],
                }
            }
        }
    };
}
