//! The `dryad` program.
fn main() {
    env_logger::init();
    let mut args = std::env::args().skip(1);
    let mut source = dryad::viewer::Source::BuiltIn;
    let mut automation = None;
    while let Some(a) = args.next() {
        if a == "--automate" {
            let text = std::fs::read_to_string(args.next().unwrap()).unwrap();
            automation = Some(dryad::app::Automation::parse(&text).unwrap());
        } else {
            source = dryad::viewer::Source::File(a.into());
        }
    }
    let options = dryad::app::AppOptions { source, params: dryad::params::Params::default(), automation };
    if let Err(e) = dryad::app::run(options) {
        eprintln!("error: {e}");
        std::process::exit(1);
    }
}
