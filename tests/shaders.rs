//! Every shader parses and validates, and every struct it shares with Rust has the same layout there.

mod common;

use std::collections::BTreeMap;

use dryad::gpu::{Mirror, Scalar, ShaderLibrary, dispatch_size};
use wgpu::naga;

fn scalar_of(module: &naga::Module, ty: naga::Handle<naga::Type>) -> Option<Scalar> {
    let kind = match module.types[ty].inner {
        naga::TypeInner::Scalar(scalar)
        | naga::TypeInner::Atomic(scalar)
        | naga::TypeInner::Vector { scalar, .. }
        | naga::TypeInner::Matrix { scalar, .. } => scalar.kind,
        naga::TypeInner::Array { base, .. } => return scalar_of(module, base),
        _ => return None,
    };
    match kind {
        naga::ScalarKind::Float => Some(Scalar::Float),
        naga::ScalarKind::Uint => Some(Scalar::Uint),
        naga::ScalarKind::Sint => Some(Scalar::Sint),
        _ => None,
    }
}

/// The struct of a bound variable, through arrays.
fn element_struct(module: &naga::Module, ty: naga::Handle<naga::Type>) -> Option<naga::Handle<naga::Type>> {
    match module.types[ty].inner {
        naga::TypeInner::Struct { .. } => Some(ty),
        naga::TypeInner::Array { base, .. } => element_struct(module, base),
        _ => None,
    }
}

fn compare(shader: &str, module: &naga::Module, ty: naga::Handle<naga::Type>, mirror: &Mirror) {
    let naga::TypeInner::Struct { members, span } = &module.types[ty].inner else { panic!("not a struct") };
    let at = format!("{} in {shader}", mirror.name);
    assert_eq!(*span as usize, mirror.size, "size of {at}");
    let wgsl: Vec<_> = members.iter().map(|m| m.name.clone().unwrap_or_default()).collect();
    let rust: Vec<_> = mirror.fields.iter().map(|f| f.name.to_owned()).collect();
    assert_eq!(wgsl, rust, "field names of {at}");
    let mut layouter = naga::proc::Layouter::default();
    layouter.update(module.to_ctx()).expect("validated");
    for (member, field) in members.iter().zip(&mirror.fields) {
        assert_eq!(member.offset as usize, field.offset, "offset of {}.{}", at, field.name);
        assert_eq!(scalar_of(module, member.ty), Some(field.scalar), "kind of {}.{}", at, field.name);
        assert_eq!(layouter[member.ty].size as usize, field.size, "size of {}.{}", at, field.name);
    }
}

#[test]
fn every_shader_is_valid_and_its_structs_equal_their_mirrors() {
    let mirrors: BTreeMap<&str, Mirror> = dryad::mirrors().into_iter().map(|m| (m.name, m)).collect();
    assert_eq!(mirrors.len(), dryad::mirrors().len(), "two mirrors share a name");
    let library = ShaderLibrary::embedded();
    let mut seen = Vec::new();
    let mut shaders = 0;
    for name in library.names() {
        let shader = library.load(name).unwrap_or_else(|error| panic!("{error}"));
        shaders += 1;
        for (_, variable) in shader.module.global_variables.iter() {
            let Some(ty) = variable.binding.and_then(|_| element_struct(&shader.module, variable.ty)) else {
                continue;
            };
            let struct_name = shader.module.types[ty].name.clone().unwrap_or_default();
            let mirror = mirrors
                .get(struct_name.as_str())
                .unwrap_or_else(|| panic!("{struct_name} in {name} has no mirror in Rust"));
            compare(name, &shader.module, ty, mirror);
            seen.push(mirror.name);
        }
        for entry in &shader.module.entry_points {
            let invocations: u32 = entry.workgroup_size.iter().product();
            assert!(invocations <= 256, "{name}:{} starts {invocations} invocations a group", entry.name);
            let storage = shader
                .resources(&[&entry.name])
                .expect("it exists")
                .iter()
                .filter(|r| {
                    matches!(
                        r.ty,
                        wgpu::BindingType::Buffer { ty: wgpu::BufferBindingType::Storage { .. }, .. }
                    )
                })
                .count();
            assert!(storage <= 8, "{name}:{} binds {storage} storage buffers", entry.name);
        }
    }
    assert!(shaders > 0);
    for mirror in mirrors.keys() {
        assert!(seen.contains(mirror), "{mirror} is declared in Rust and in no shader");
    }
}

#[test]
fn large_dispatches_are_folded_into_rows() {
    assert_eq!(dispatch_size(0, 64), [0, 1, 1]);
    assert_eq!(dispatch_size(1, 64), [1, 1, 1]);
    assert_eq!(dispatch_size(32_768 * 64, 64), [32_768, 1, 1]);
    assert_eq!(dispatch_size(32_768 * 64 + 1, 64), [32_768, 2, 1]);
}
