"""What the log of a run says of its speed."""
import re

SESSION = re.compile(r": ([\d ]+) steps in .*, ([\d ]+) steps/s$")


def whole(text):
    return int(text.replace(" ", ""))


def speed_of(folder):
    """Steps of all members together and seconds, of all sessions of the run; what is lost to a kill is in neither."""
    steps, seconds = 0, 0.0
    for line in (folder / "log.txt").read_text().splitlines():
        found = SESSION.search(line)
        if found and whole(found[2]) > 0:
            steps += whole(found[1])
            seconds += whole(found[1]) / whole(found[2])
    return steps, seconds
