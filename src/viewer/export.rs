//! Exports off the frame: branches grow anew on a device of their own, so that what is on show goes on undisturbed.

use std::path::PathBuf;
use std::sync::Arc;

use super::jobs::Job;
use super::{Notice, Source, Viewer, ViewerError};
use crate::export::{self, ExportError, ExportOptions, ExportRequest};

impl Viewer {
    /// Starts writing the character with its branches, as the present parameters and seed grow them. An export under
    /// way is given up for it.
    pub(super) fn start_export(&mut self, path: PathBuf) {
        let Some(stage) = &self.stage else { return };
        if let Source::File(model) = &stage.source
            && model.canonicalize().ok().is_some_and(|model| path.canonicalize().ok() == Some(model))
        {
            let sentence = format!("{} is the model itself; choose another name", path.display());
            self.notices.push(Notice::Error(sentence));
            return;
        }
        let request = ExportRequest {
            source: stage.source.clone(),
            character: Arc::clone(&stage.character),
            params: self.params.growth.clone(),
            seed: self.seed,
            options: ExportOptions::default(),
        };
        let out = path.clone();
        let job = Job::start(move |progress| {
            let (glb, summary) = request.run(progress)?;
            export::save(&out, &glb)?;
            Ok(summary)
        });
        self.exporting = Some((path, job));
    }

    /// Tells how an export ended.
    pub(super) fn finish_export(&mut self) {
        let Some((path, outcome)) = self.exporting.as_ref().and_then(|(path, job)| Some((path, job.poll()?)))
        else {
            return;
        };
        let notice = match outcome {
            Ok(Ok(summary)) => Notice::Info(format!(
                "{}: {} branch nodes, {} triangles",
                path.display(),
                summary.nodes,
                summary.triangles
            )),
            Ok(Err(ExportError::Cancelled)) => Notice::Info("the export was cancelled".into()),
            Ok(Err(error)) => Notice::Error(error.to_string()),
            Err(()) => Notice::Error(ViewerError::Worker("the export".into()).to_string()),
        };
        self.notices.push(notice);
        self.exporting = None;
    }
}
