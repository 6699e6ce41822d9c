#!/usr/bin/env python3
"""Writes chapters of the book from executed notebooks.

    validation/notebooks/render.py EXECUTED docs/src

makes of each EXECUTED/NAME.ipynb the page docs/src/notebook-NAME.md, with its pictures in docs/src/images. It reads the JSON of the
notebooks and needs nothing but Python.
"""
import base64, json, re, sys
from pathlib import Path


def lines(text):
    """A text of a notebook, which may be a list of lines."""
    return text if isinstance(text, str) else "".join(text)


def fenced(info, text):
    return f"```{info}\n{text.rstrip()}\n```\n"


def printed(text):
    """What a cell printed. Folders of the machine that ran it say nothing to readers, nor do lines behind warnings."""
    text = re.sub(r"^\S*/ipykernel_\S+: (.*)\n  .*$", r"\1", text, flags=re.MULTILINE)
    return fenced("text", re.sub(r"/\S*/tmp\w+", "…", text))


def page(notebook, name, images):
    """The page of a notebook; its pictures go to `images`."""
    parts, pictures = [], 0
    for cell in notebook["cells"]:
        text = lines(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(text.rstrip() + "\n")
            continue
        parts.append(fenced("python", text))
        shown = ""
        for output in cell["outputs"]:
            if output["output_type"] == "stream":
                shown += lines(output["text"])
                continue
            data = output.get("data", {})
            if "image/png" in data:
                pictures += 1
                picture = f"notebook-{name}-{pictures}.png"
                (images / picture).write_bytes(base64.b64decode(lines(data["image/png"])))
                if shown:
                    parts.append(printed(shown))
                    shown = ""
                parts.append(f"![](images/{picture})\n")
            elif "text/plain" in data:
                shown += lines(data["text/plain"]) + "\n"
        if shown:
            parts.append(printed(shown))
    first, _, rest = "\n".join(parts).partition("\n")
    origin = f"This page is `python/notebooks/{name}.ipynb`, as `validation/notebooks/measure` ran it."
    return f"{first}\n{origin}\n\n{rest.lstrip()}"


def main():
    executed, book = Path(sys.argv[1]), Path(sys.argv[2])
    for path in sorted(executed.glob("*.ipynb")):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        text = page(notebook, path.stem, book / "images")
        (book / f"notebook-{path.stem}.md").write_text(text, encoding="utf-8")


main()
