"""What the scripts of this folder share: programs that they start, and comparisons of runs."""
import os
import signal
import subprocess
import sys
import time


def call(*words, **keywords):
    """The standard output of a program that must succeed."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **keywords)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def wait_for(what, is_so, seconds, every=0.5):
    """Waits until something is so; returns what it is."""
    end = time.monotonic() + seconds
    while not (found := is_so()):
        if time.monotonic() > end:
            sys.exit(f"waited {seconds} s in vain for {what}")
        time.sleep(every)
    return found


def files_of(folder):
    """The bytes of all files of members in a run folder, by their names."""
    kinds = ("tables", "trajectories", "final")
    paths = [path for kind in kinds for path in (folder / kind).rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def refuse_differences(whole, together, what):
    """Ends the program with 1 if files differ."""
    differing = sorted(name for name in whole.keys() | together.keys() if whole.get(name) != together.get(name))
    if differing or not whole:
        sys.exit(f"{len(differing)} of {len(whole)} files differ: {', '.join(differing[:5])}")
    print(f"{what}: {len(whole)} files of tables, trajectories and last coordinates have the bytes of one machine", flush=True)


def kill(process):
    """Kills a process that this script has started, directly or through others; one that has ended meanwhile is no error."""
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        pass


def processes():
    """Numbers of all processes with those of their parents and their environment, as far as it can be read."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as stat, open(f"/proc/{name}/environ", "rb") as environment:
                # The second field, the name in parentheses, may have blanks.
                parent = int(stat.read().rpartition(")")[2].split()[1])
                yield int(name), parent, environment.read().split(b"\0")
        except OSError:
            continue
