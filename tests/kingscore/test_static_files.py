from pathlib import Path

from django.contrib.staticfiles.finders import get_finders

from kingscore.static_files import ModuleStorage, without_comments

KEPT = {"account", "admin", "guide", "icons", "mfa", "vendor"}


def test_folders_of_apps_whose_pages_nobody_opens_are_left_out():
    found = {Path(name) for finder in get_finders() for name, _storage in finder.list([])}
    assert {path.parts[0] for path in found if len(path.parts) > 1} == KEPT


def test_comments_of_our_files_are_not_sent_and_licences_of_others_are():
    script = "// Why.\nconst at = `http://x`; // stays\n  // Why.\nrun();\n"
    assert without_comments("who.js", script) == "const at = `http://x`; // stays\nrun();\n"
    assert without_comments("who.css", "/* Why:\n a */\na { color: red; }") == "a { color: red; }"
    assert without_comments("vendor/htmx/htmx.js", script) == script


def test_file_is_compressed_under_the_name_that_pages_use_alone(tmp_path):
    storage = ModuleStorage(location=tmp_path, base_url="/static/")
    (tmp_path / "who.css").write_text("a { color: red; }\n" * 99)
    list(storage.post_process({"who.css": (storage, "who.css")}))
    named = storage.stored_name("who.css")

    assert named != "who.css"
    assert {path.name for path in tmp_path.iterdir() if path.suffix != ".json"} == {
        *("who.css", named),
        *(f"{named}.gz", f"{named}.br"),
    }
