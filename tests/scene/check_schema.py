"""Checks scenes/scene.schema.json: it accepts all our scenes and rejects the bad scenes that it should."""
import pathlib
import sys

import jsonschema
import yaml
import json


def main(scenes_folder, bad_scenes_file):
    scenes = pathlib.Path(scenes_folder)
    schema = json.loads((scenes / "scene.schema.json").read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    problems = []

    scene_files = sorted(scenes.glob("*.yaml"))
    if len(scene_files) < 17:
        problems.append(f"expected at least 17 scenes, found {len(scene_files)}")
    for path in scene_files:
        text = path.read_text()
        if text.splitlines()[0] != "# yaml-language-server: $schema=scene.schema.json":
            problems.append(f"{path.name}: the first line does not name the schema")
        for error in validator.iter_errors(yaml.safe_load(text)):
            problems.append(f"{path.name}: {error.json_path}: {error.message}")

    good_values = pathlib.Path(bad_scenes_file).with_name("good_values.yaml")
    for error in validator.iter_errors(yaml.safe_load(good_values.read_text())):
        problems.append(f"{good_values.name}: {error.json_path}: {error.message}")

    rejected = 0
    for case in yaml.safe_load(pathlib.Path(bad_scenes_file).read_text()):
        if case["schema"] != "rejects":
            continue
        rejected += 1
        if validator.is_valid(yaml.safe_load(case["scene"])):
            problems.append(f"bad scene accepted: {case['name']}")
    if rejected < 40:
        problems.append(f"expected at least 40 bad scenes for the schema, found {rejected}")

    print("\n".join(problems) or f"{len(scene_files)} scenes accepted, {rejected} bad ones rejected")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
