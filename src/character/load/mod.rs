//! glTF files to [`super::data::CharacterData`].
