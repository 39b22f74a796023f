import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = ROOT / "kingscore" / "settings.py"
TABLE = ROOT / "deploy" / "README.md"
ROW = re.compile(r"^\| `([A-Z_]+)` \| .+ \| .+ \|$", re.MULTILINE)
# These tell others something, and ask nothing.
TELLING = re.compile(
    r"""environ\.setdefault\("DJANGO_SETTINGS_MODULE"|environ\["\w+"\] = |environ \| \{"""
)


def variables_read(source):
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = ast.unparse(node.func)
            if called in {"switched_on", "os.environ.get", "os.getenv"}:
                yield node.args[0].value
        if isinstance(node, ast.Subscript) and "environ" in ast.unparse(node.value):
            yield ast.literal_eval(node.slice)


def test_table_has_every_variable_that_the_settings_read():
    explained = ROW.findall(TABLE.read_text())

    assert sorted(explained) == sorted(set(variables_read(SETTINGS.read_text())))


def test_environment_is_read_in_the_settings_only():
    sources = [ROOT / "manage.py", *(ROOT / "kingscore").rglob("*.py")]
    sources += (ROOT / "tournaments").rglob("*.py")

    lines = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in sources
        if path != SETTINGS
        for line in path.read_text().splitlines()
        if re.search(r"\benviron\b|getenv", line.partition("#")[0].replace('"""', ""))
    ]

    assert [line for line in lines if not TELLING.search(line)] == []
