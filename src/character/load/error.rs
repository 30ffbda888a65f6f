//! What can go wrong with a file, each a sentence for whoever opened it.

/// Why a file was not loaded. The text is one sentence that names the file, the place in it and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// Someone called [`crate::character::load::Progress::cancel`].
    #[error("loading was cancelled before the file was read")]
    Cancelled,
    /// The file itself cannot be read.
    #[error("{file} cannot be read ({cause}): check the path and its permissions")]
    Unreadable {
        /// Name of the file.
        file: String,
        /// What the operating system says.
        cause: String,
    },
    /// Some other 3-D format, or none at all.
    #[error("{file} is {format}, not glTF 2.0: {remedy}")]
    Foreign {
        /// Name of the file.
        file: String,
        /// What it seems to be, with an article.
        format: String,
        /// How to get a glTF file out of it.
        remedy: String,
    },
    /// A required extension without which the geometry is lost.
    #[error("{file} requires the extension {extension}, which Dryad does not read: {remedy}")]
    Extension {
        /// Name of the file.
        file: String,
        /// The extension's name.
        extension: String,
        /// How to get rid of it.
        remedy: String,
    },
    /// An external buffer cannot be had.
    #[error("{file} needs the external file {uri}, {fault}: put it beside the model or export as one .glb")]
    External {
        /// Name of the file.
        file: String,
        /// The URI as written.
        uri: String,
        /// Why it cannot be had, as a clause.
        fault: String,
    },
    /// The file claims more than its size or the machine can justify.
    #[error("{file}: {place} asks for more memory than a file of this size can justify: simplify the model")]
    TooLarge {
        /// Name of the file.
        file: String,
        /// What asked, such as "accessor 3".
        place: String,
    },
    /// The file contradicts itself or the specification.
    #[error("{file} is broken: {place} {fault}; export it again, or ask the glTF Validator for details")]
    Broken {
        /// Name of the file.
        file: String,
        /// The object at fault, such as "accessor 3".
        place: String,
        /// What is wrong with it, as a clause without a subject.
        fault: String,
    },
}
