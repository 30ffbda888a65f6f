//! What can be set about light and view.

crate::params! {
    /// Light and tone.
    pub struct LightParams: "light", "Light" {
        /// Exposure.
        exposure: f32 = 0.0, "Exposure", float(-8.0, 8.0, "EV");
        /// How light is brought into the range of the screen.
        tone_map: u32 = 0, "Tone map", choice("neutral", "agx", "aces", "none");
        /// Strength of the key light.
        key: f32 = 2.8, "Key light", float(0.0, 20.0, "");
        /// Where the key light stands, round the vertical axis.
        key_azimuth: f32 = 35.0, "Key azimuth", float(-180.0, 180.0, "deg");
        /// How high the key light stands.
        key_elevation: f32 = 50.0, "Key elevation", float(-90.0, 90.0, "deg");
        /// Whether the file's own lights shine, if it has any (KHR_lights_punctual). They throw no shadows.
        file_lights: bool = true, "Lights of the file", switch;
        /// Brightness of the file's lights together: 1 throws an irradiance of 2 on its brightest side.
        file_lights_strength: f32 = 1.0, "Their strength", float(0.0, 20.0, "");
        /// What hides the key light: all on everything, the body on the ground alone, or nothing.
        shadows: u32 = 0, "Shadows", choice("all", "ground", "off");
        /// Strength of the environment's light, which comes from everywhere.
        ambient: f32 = 1.0, "Environment", float(0.0, 10.0, "");
        /// How far the environment is turned about the vertical axis. The studio turns with the key light, too.
        environment_rotation: f32 = 0.0, "Environment rotation", float(-180.0, 180.0, "deg");
        /// Glow round what is brighter than the picture can show.
        bloom: f32 = 0.1, "Bloom", float(0.0, 1.0, "");
        /// Colour behind the scene, at the top.
        background_top: [f32; 3] = [0.020, 0.024, 0.032], "Background, top", color;
        /// Colour behind the scene, at the bottom.
        background_bottom: [f32; 3] = [0.075, 0.080, 0.090], "Background, bottom", color;
    }
}

crate::params! {
    /// What is shown.
    pub struct ViewParams: "view", "View" {
        /// Shaded, or a data view that bypasses light, exposure and tone: strain (blue compressed, orange stretched, full at wrinkles.legend), mask (the model alone), field (a box a cell of the flock's field, vectors -1 to 1 as sRGB 0 to 255), weights (each joint's own colour, mixed by weight), normals (posed, x y z from -1 to 1 as sRGB 0 to 255).
        mode: u32 = 0, "View", choice("shaded", "strain", "mask", "field", "weights", "normals");
        /// What stands in each cell of the field's view: a box, or an arrow along its vector.
        field_look: u32 = 0, "Field look", choice("boxes", "arrows");
        /// Which cells of the field's view are shown: all, or a slice across an axis.
        field_slice: u32 = 0, "Field slice", choice("all", "across x", "across y", "across z");
        /// Where the slice is, from one side of the field to the other.
        field_slice_at: f32 = 0.5, "Slice at", float(0.0, 1.0, "");
        /// Whether what is farther away looks smaller. Cameras of the file keep their own.
        projection: u32 = 0, "Projection", choice("perspective", "orthographic");
        /// How much of the body's middle is seen through: 0 is solid.
        xray: f32 = 0.75, "X-ray", float(0.0, 1.0, "");
        /// Whether the body is drawn.
        body: bool = true, "Body", switch;
        /// Whether the ground grid is drawn.
        grid: bool = true, "Grid", switch;
        /// What stands behind the scene: two colours, or the environment out of focus.
        background: u32 = 0, "Background", choice("colors", "environment");
        /// Samples a pixel. More than 4 are drawn in saved pictures and takes alone, as the mean of shifted pictures.
        msaa: u32 = 1, "Anti-aliasing", choice("off", "4x", "8x", "16x", "32x", "64x");
    }
}
