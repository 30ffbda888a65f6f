//! `dryad params`.

use std::io::Write as _;

use serde_json::json;

use super::args::ParamsArgs;
use crate::params::{Kind, Params};
use crate::session::{params_to_toml, shortest};

/// Lists every parameter.
pub fn run(args: &ParamsArgs) -> anyhow::Result<()> {
    let params = Params::default();
    let mut out = std::io::stdout().lock();
    if args.toml {
        let mut table = toml::Table::new();
        table.insert("params".into(), toml::Value::Table(params_to_toml(&params)));
        write!(out, "{}", toml::to_string_pretty(&table)?)?;
        return Ok(());
    }
    if args.json {
        let mut all = Vec::new();
        for section in params.sections() {
            for info in section.infos() {
                let mut entry = json!({
                    "path": format!("{}.{}", section.path(), info.name),
                    "label": info.label,
                    "help": info.help,
                    "default": info.kind.format(&info.default),
                });
                let (kind, range) = match info.kind {
                    Kind::Float { min, max, .. } => ("float", Some(json!([shortest(min), shortest(max)]))),
                    Kind::Int { min, max, .. } => ("integer", Some(json!([min, max]))),
                    Kind::Switch => ("switch", None),
                    Kind::Choice(names) => ("choice", Some(json!(names))),
                    Kind::Text(_) => ("text", None),
                    Kind::Color => ("color", Some(json!([0.0, 1.0]))),
                    Kind::Vector { min, max, .. } => ("vector", Some(json!([shortest(min), shortest(max)]))),
                };
                entry["kind"] = kind.into();
                if let Some(range) = range {
                    entry["range"] = range;
                }
                if !info.kind.unit().is_empty() {
                    entry["unit"] = info.kind.unit().into();
                }
                all.push(entry);
            }
        }
        writeln!(out, "{}", serde_json::to_string_pretty(&all)?)?;
        return Ok(());
    }
    writeln!(
        out,
        "Lengths in H are fractions of the character's size (the longest edge of its box at rest)."
    )?;
    for section in params.sections() {
        writeln!(out, "\n{}", section.title())?;
        for info in section.infos() {
            writeln!(
                out,
                "  {:<30} {:<14} {} ({})",
                format!("{}.{}", section.path(), info.name),
                info.kind.format(&info.default),
                info.help,
                info.kind.describe(),
            )?;
        }
    }
    Ok(())
}
