"""A part of the exports of the import test that holds every operator of all: for tests that take long over each."""

import os
import re
import zipfile

TARGET = re.compile(rb'"target": ?"(torch\.ops\.[^"]+)"')


def operators(model):
    """The names of the operators of an export, those in regions included."""
    with zipfile.ZipFile(model) as archive:
        return {name for member in archive.namelist() if member.endswith(".json")
                for name in TARGET.findall(archive.read(member))}


def covering(models, features=operators):
    """As few of the models as bring every feature, the same ones always, in order; all where MLGC_TEST_ALL is set. Says what it
    leaves out."""
    if os.environ.get("MLGC_TEST_ALL"):
        return list(models)
    found = {model: features(model) for model in models}
    missing, chosen = set().union(*found.values()), set()
    while missing:
        best = max(sorted(found), key=lambda model: len(found[model] & missing))
        chosen.add(best)
        missing -= found[best]
    left = [model.name.removesuffix(".pt2") for model in models if model not in chosen]
    print(f"{len(chosen)} of {len(models)} models hold every operator; left out where MLGC_TEST_ALL is not set: {', '.join(left)}")
    return [model for model in models if model in chosen]
