//! What can be set about folds.

crate::params! {
    /// Folds.
    pub struct WrinklesParams: "wrinkles", "Wrinkles" {
        /// Whether folds are drawn.
        enabled: bool = true, "Wrinkles", switch;
        /// How folds are made: by the complex wrinkle field; as first published; or both, left and right of a divider.
        method: u32 = 0, "Method", choice("field", "published", "both");
        /// Where the divider is when both are shown, from the picture's left edge to its right one.
        divider: f32 = 0.5, "Divider", float(0.0, 1.0, "");
        /// Compression at which folds begin.
        min_compression: f32 = 0.03, "Least compression", float(0.0, 0.9, "");
        /// Compression at which folds are at their deepest.
        max_compression: f32 = 0.25, "Full compression", float(0.01, 1.0, "");
        /// Distance from fold to fold.
        wavelength: f32 = 0.02, "Wavelength", float(0.002, 0.2, "H");
        /// How deep folds are, as a fraction of what conserves length.
        depth: f32 = 1.0, "Depth", float(0.0, 4.0, "");
        /// How dark the valleys are.
        shade: f32 = 0.5, "Valley shade", float(0.0, 1.0, "");
        /// Compression or stretch at the end of the heat map's legend.
        legend: f32 = 0.4, "Legend", float(0.05, 2.0, "");
    }
    settle = |p| p.max_compression = p.max_compression.max(p.min_compression + 0.01);
}

/// How folds are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoldMethod {
    /// The complex wrinkle field.
    Field,
    /// As first published.
    Published,
    /// The field left of a divider, as published right of it.
    Both,
}

impl FoldMethod {
    /// What parameters ask for.
    #[must_use]
    pub fn of(params: &WrinklesParams) -> Self {
        [Self::Field, Self::Published, Self::Both][params.method.min(2) as usize]
    }

    /// Whether the wrinkle field is drawn.
    #[must_use]
    pub fn shows_field(self) -> bool {
        self != Self::Published
    }

    /// Whether folds as published are drawn.
    #[must_use]
    pub fn shows_published(self) -> bool {
        self != Self::Field
    }
}
