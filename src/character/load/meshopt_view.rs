//! Buffer views under EXT_meshopt_compression and KHR_meshopt_compression (the same wire format; the latter adds
//! the COLOR filter and version 1 of the vertex codec, which the library reads under either name).
//!
//! The C++ decoder is safe on any bytes but asserts on sizes, and an assertion ends the process: everything that
//! it asserts is checked first.

use serde_json::Value;

/// Decoded bytes that one encoded byte can stand for at most: version 1 of the vertex codec spends a quarter
/// byte on four bytes of up to 256 equal vertices.
const MAX_EXPANSION: u64 = 4096;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Attributes,
    Triangles,
    Indices,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Filter {
    None,
    Octahedral,
    Quaternion,
    Exponential,
    Color,
}

/// The extension's fields, checked against each other.
#[derive(Debug)]
pub(super) struct Layout {
    pub buffer: u64,
    pub offset: u64,
    pub length: u64,
    /// Bytes an element.
    pub stride: usize,
    count: usize,
    mode: Mode,
    filter: Filter,
}

impl Layout {
    /// Reads the extension object.
    ///
    /// # Errors
    /// A clause that says which field is wrong.
    pub fn parse(extension: &Value) -> Result<Self, String> {
        let number = |key: &str| extension.get(key).and_then(Value::as_u64);
        let needed = |key: &str| number(key).ok_or_else(|| format!("has no usable meshopt {key}"));
        let stride = needed("byteStride")?;
        let count = needed("count")?;
        let mode = match extension.get("mode").and_then(Value::as_str) {
            Some("ATTRIBUTES") => Mode::Attributes,
            Some("TRIANGLES") => Mode::Triangles,
            Some("INDICES") => Mode::Indices,
            _ => return Err("has an unknown meshopt mode".to_owned()),
        };
        let filter = match extension.get("filter").and_then(Value::as_str) {
            None | Some("NONE") => Filter::None,
            Some("OCTAHEDRAL") => Filter::Octahedral,
            Some("QUATERNION") => Filter::Quaternion,
            Some("EXPONENTIAL") => Filter::Exponential,
            Some("COLOR") => Filter::Color,
            Some(_) => return Err("has an unknown meshopt filter".to_owned()),
        };
        let stride_fits = match (mode, filter) {
            (Mode::Attributes, Filter::None | Filter::Exponential) => {
                stride % 4 == 0 && (4..=256).contains(&stride)
            }
            (Mode::Attributes, Filter::Octahedral | Filter::Color) => stride == 4 || stride == 8,
            (Mode::Attributes, Filter::Quaternion) => stride == 8,
            (Mode::Triangles | Mode::Indices, Filter::None) => stride == 2 || stride == 4,
            (Mode::Triangles | Mode::Indices, _) => false,
        };
        if !stride_fits {
            return Err(format!(
                "has a meshopt stride of {stride} bytes, which its mode and filter do not allow"
            ));
        }
        if mode == Mode::Triangles && count % 3 != 0 {
            return Err(format!("holds {count} meshopt triangle corners, which is no multiple of three"));
        }
        let length = needed("byteLength")?;
        if count.saturating_mul(stride) > length.saturating_mul(MAX_EXPANSION) {
            return Err(format!("claims {count} meshopt elements, more than its {length} bytes can hold"));
        }
        let count = usize::try_from(count).map_err(|_| "has too many meshopt elements".to_owned())?;
        Ok(Self {
            buffer: needed("buffer")?,
            offset: number("byteOffset").unwrap_or(0),
            length,
            stride: stride as usize,
            count,
            mode,
            filter,
        })
    }

    /// Size of the decoded view.
    pub fn decoded_bytes(&self) -> u64 {
        self.count as u64 * self.stride as u64
    }

    /// Decodes the view.
    ///
    /// # Errors
    /// A clause that says that the codec refused, or that it is not in this build.
    pub fn decode(&self, encoded: &[u8]) -> Result<Vec<u8>, String> {
        if self.count == 0 {
            return Ok(Vec::new());
        }
        self.decode_elements(encoded)
    }

    #[cfg(not(feature = "meshopt"))]
    fn decode_elements(&self, _encoded: &[u8]) -> Result<Vec<u8>, String> {
        let Self { mode, filter, .. } = self;
        Err(format!(
            "is compressed with meshopt ({mode:?}, {filter:?}), which this build of Dryad leaves out"
        ))
    }

    #[cfg(feature = "meshopt")]
    fn decode_elements(&self, encoded: &[u8]) -> Result<Vec<u8>, String> {
        let refused = |error: meshopt::Error| format!("does not decode as meshopt data ({error})");
        match (self.mode, self.stride) {
            (Mode::Attributes, _) => self.decode_attributes(encoded),
            (Mode::Triangles, 2) => {
                meshopt::decode_index_buffer::<u16>(encoded, self.count).map(to_bytes).map_err(refused)
            }
            (Mode::Triangles, _) => {
                meshopt::decode_index_buffer::<u32>(encoded, self.count).map(to_bytes).map_err(refused)
            }
            (Mode::Indices, 2) => {
                meshopt::decode_index_sequence::<u16>(encoded, self.count).map(to_bytes).map_err(refused)
            }
            (Mode::Indices, _) => {
                meshopt::decode_index_sequence::<u32>(encoded, self.count).map(to_bytes).map_err(refused)
            }
        }
    }

    #[cfg(feature = "meshopt")]
    fn decode_attributes(&self, encoded: &[u8]) -> Result<Vec<u8>, String> {
        // Whole words, so that the filters below find their elements aligned.
        let mut words = vec![0u64; (self.count * self.stride).div_ceil(8)];
        // SAFETY: the destination holds `count * stride` bytes, the source is a slice, and the stride is a
        // multiple of four up to 256, which `parse` made sure of; the decoder is safe on any content.
        #[allow(
            unsafe_code,
            reason = "the safe wrapper takes the stride as a type, files give it as a number"
        )]
        let code = unsafe {
            meshopt::ffi::meshopt_decodeVertexBuffer(
                words.as_mut_ptr().cast(),
                self.count,
                self.stride,
                encoded.as_ptr(),
                encoded.len(),
            )
        };
        if code != 0 {
            return Err(format!("does not decode as meshopt data (code {code})"));
        }
        let bytes: &mut [u8] = &mut bytemuck::cast_slice_mut(&mut words)[..self.count * self.stride];
        match (self.filter, self.stride) {
            (Filter::None, _) => {}
            (Filter::Octahedral, 4) => meshopt::decode_filter_oct::<i8>(bytemuck::cast_slice_mut(bytes)),
            (Filter::Octahedral, _) => meshopt::decode_filter_oct::<i16>(bytemuck::cast_slice_mut(bytes)),
            (Filter::Quaternion, _) => meshopt::decode_filter_quat(bytemuck::cast_slice_mut(bytes)),
            (Filter::Exponential, _) => meshopt::decode_filter_exp::<1>(bytemuck::cast_slice_mut(bytes)),
            (Filter::Color, 4) => meshopt::decode_filter_color::<u8>(bytemuck::cast_slice_mut(bytes)),
            (Filter::Color, _) => meshopt::decode_filter_color::<u16>(bytemuck::cast_slice_mut(bytes)),
        }
        Ok(bytes.to_vec())
    }
}

#[cfg(feature = "meshopt")]
fn to_bytes<T: bytemuck::NoUninit>(values: Vec<T>) -> Vec<u8> {
    bytemuck::cast_slice(&values).to_vec()
}
