//! Words of generators that beadwork does not have: what a program writes, or what comes on standard input.

use std::fs;
use std::io::{ErrorKind, IsTerminal, Read, Write, stdin};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use beadwork::io::atomic;

use crate::program::failure::Failure;

/// Bytes that are passed on at once.
const PIECE: usize = 1 << 16;

/// Where words come from.
#[derive(Debug)]
pub enum Source {
    /// A command for the shell, which is started anew for each test.
    Command(String),
    /// Standard input, which can be read once.
    Input,
}

/// A generator of others, and the name that its results have.
#[derive(Debug)]
pub struct Outside {
    pub source: Source,
    name: String,
}

/// How far the words have come.
#[derive(Debug, Default)]
struct Progress {
    bytes: AtomicU64,
    has_ended: AtomicBool,
}

/// Words that are being read.
pub struct Words {
    from: Box<dyn Read + Send>,
    progress: Arc<Progress>,
}

/// Words that were opened, and what belongs to them as long as they are used.
pub struct Opened {
    pub words: Words,
    progress: Arc<Progress>,
    /// Ended when this is dropped.
    pub program: Option<Running>,
}

/// A program that writes words; it is ended when this is dropped.
pub struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself, when its output was closed.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Outside {
    /// A generator whose results have a name; by default that of the program, or `standard-input`.
    pub fn new(source: Source, name: Option<&str>) -> Result<Outside, Failure> {
        if let Source::Input = source
            && stdin().is_terminal()
        {
            let problem = "standard input is a terminal, and words are not typed: send them from a program, as in ./mygen | beadwork random certify - --test 1";
            return Err(Failure::input(problem.to_string()));
        }
        let is_fine = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
        let name = match (name, &source) {
            (Some(name), _) if !name.is_empty() && name.chars().all(is_fine) => name.to_string(),
            (Some(name), _) => {
                let problem = format!(
                    "--name {name}: the name of a generator, which becomes that of a folder, has letters, digits, - and _ alone"
                );
                return Err(Failure::input(problem));
            }
            (None, Source::Input) => "standard-input".to_string(),
            (None, Source::Command(command)) => {
                let Some(program) = command.split_whitespace().next() else {
                    let problem = "--command: there is no command: name a program that writes words of 32 bits to its standard output";
                    return Err(Failure::input(problem.to_string()));
                };
                let file = program.rsplit(['/', '\\']).next().unwrap_or(program);
                file.chars().map(|letter| if is_fine(letter) { letter } else { '-' }).collect()
            }
        };
        Ok(Outside { source, name })
    }

    /// What stands for generator, scheme and order in the names of results and in the summary.
    pub fn group(&self) -> [String; 3] {
        let how = match self.source {
            Source::Command(_) => "command",
            Source::Input => "input",
        };
        [self.name.as_str(), "own", how].map(str::to_string)
    }

    /// Writes the command beside the results, or refuses a folder with results of another one by this name.
    pub fn claim(&self, folder: &Path) -> Result<(), Failure> {
        let Source::Command(command) = &self.source else { return Ok(()) };
        let folder = folder.join(self.group().join("."));
        let path = folder.join("command.txt");
        let written = format!("{command}\n");
        match fs::read_to_string(&path) {
            Ok(earlier) if earlier == written => Ok(()),
            Ok(earlier) => Err(Failure::input(format!(
                "{} has results of another command, {}: give this one a name of its own by --name, or take another folder",
                folder.display(),
                earlier.trim_end()
            ))),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                fs::create_dir_all(&folder).map_err(|error| cannot("made", &folder, &error))?;
                Ok(atomic::write(&path, written.as_bytes())?)
            }
            Err(error) => Err(cannot("read", &path, &error)),
        }
    }

    /// Starts the program, or takes standard input.
    pub fn open(&self) -> Result<Opened, Failure> {
        let progress = Arc::new(Progress::default());
        let (from, program): (Box<dyn Read + Send>, _) = match &self.source {
            Source::Input => (Box::new(stdin()), None),
            Source::Command(command) => {
                let (shell, option) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
                let mut child = Command::new(shell)
                    .args([option, command])
                    .stdin(Stdio::null())
                    .stdout(Stdio::piped())
                    .spawn()
                    .map_err(|error| {
                        Failure::machine(format!("{shell} cannot be started ({error})"))
                    })?;
                let Some(output) = child.stdout.take() else {
                    let problem = format!("{command} has no standard output");
                    return Err(Failure::machine(problem));
                };
                (Box::new(output), Some(Running(child)))
            }
        };
        let words = Words { from, progress: progress.clone() };
        Ok(Opened { words, progress, program })
    }

    /// The reason why a test failed: that its words ended, where they did.
    pub fn reason(&self, progress: &Progressed, failure: Failure) -> Failure {
        if !progress.0.has_ended.load(Ordering::SeqCst) {
            return failure;
        }
        self.ended(progress)
    }

    /// Refuses a result of no words at all, of which a battery may make p-values too.
    pub fn refuse_nothing(&self, progress: &Progressed) -> Result<(), Failure> {
        let is_empty = progress.0.has_ended.load(Ordering::SeqCst)
            && progress.0.bytes.load(Ordering::SeqCst) == 0;
        if is_empty { Err(self.ended(progress)) } else { Ok(()) }
    }

    fn ended(&self, progress: &Progressed) -> Failure {
        let words = progress.0.bytes.load(Ordering::SeqCst) / 4;
        let what = match &self.source {
            Source::Command(command) => format!("the output of {command}"),
            Source::Input => "standard input".to_string(),
        };
        Failure::input(format!(
            "{what} ended after {words} words of 32 bits, and a test needs more (if it is suspicious, its repetition takes words behind them): write them without end"
        ))
    }
}

/// A look at words that another thread reads.
pub struct Progressed(Arc<Progress>);

impl Opened {
    pub fn progress(&self) -> Progressed {
        Progressed(self.progress.clone())
    }
}

impl Words {
    /// Passes words on until the reader closes its end or they end; returns those behind.
    pub fn feed(mut self, mut to: impl Write) -> Words {
        let mut bytes = vec![0; PIECE];
        loop {
            let count = match self.from.read(&mut bytes) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Ok(count) => count,
                Err(_) => 0,
            };
            if count == 0 {
                // Known before the reader can notice.
                self.progress.has_ended.store(true, Ordering::SeqCst);
                return self;
            }
            self.progress.bytes.fetch_add(count as u64, Ordering::SeqCst);
            if to.write_all(&bytes[..count]).is_err() {
                return self;
            }
        }
    }
}

/// A path that is in the way of results.
fn cannot(what: &str, path: &Path, error: &std::io::Error) -> Failure {
    Failure::machine(format!("{} cannot be {what}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(command: &str, name: Option<&str>) -> Result<String, String> {
        let outside = Outside::new(Source::Command(command.to_string()), name);
        outside.map(|outside| outside.group().join(".")).map_err(|failure| failure.message)
    }

    #[test]
    fn results_have_the_name_of_the_program() {
        assert_eq!(group("./mygen --seed 3", None).unwrap(), "mygen.own.command");
        assert_eq!(group(" /opt/my.gen.sh", None).unwrap(), "my-gen-sh.own.command");
        assert_eq!(group("python3 gen.py", Some("gen_1")).unwrap(), "gen_1.own.command");
        for name in ["", "a.b", "../a", "a b"] {
            assert!(group("./mygen", Some(name)).unwrap_err().contains("letters, digits"));
        }
        assert!(group("  ", None).unwrap_err().contains("there is no command"));
    }

    /// A reader that closes after some bytes.
    struct Closing(usize);

    impl Write for Closing {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 = self.0.checked_sub(1).ok_or(ErrorKind::BrokenPipe)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_second_reader_gets_the_words_behind() {
        let bytes: Vec<u8> = (0..5 * PIECE).map(|k| (k / PIECE) as u8).collect();
        let progress = Arc::new(Progress::default());
        let words =
            Words { from: Box::new(std::io::Cursor::new(bytes)), progress: progress.clone() };
        // Two pieces are written, and the third was read for a reader that had closed.
        let words = words.feed(Closing(2));
        assert!(!progress.has_ended.load(Ordering::SeqCst));
        let mut second = Vec::new();
        words.feed(&mut second);
        assert_eq!((second.len(), second[0], second[PIECE]), (2 * PIECE, 3, 4));
        assert!(progress.has_ended.load(Ordering::SeqCst));
        assert_eq!(progress.bytes.load(Ordering::SeqCst), 5 * PIECE as u64);
    }
}
