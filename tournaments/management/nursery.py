"""Import everything once and fork the programs of `up`, so that they share this memory.

Runs as a process of its own, with the modules to import as arguments. Its input is a socket, on
which the supervisor asks for one program per line, and is answered with the process id. Nobody
else waits for the programs: they become children of the supervisor and may outlive this process.
"""

import gc
import json
import os
import runpy
import socket
import sys
from importlib import import_module
from typing import Any, NoReturn


def run(words: list[str], closed: list[int]) -> NoReturn:
    """Run a module as `python -m` does, in a session of its own and without some files."""
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())
    for number in (nothing, *closed):
        os.close(number)
    sys.argv = list(words)
    runpy.run_module(words[0], run_name="__main__", alter_sys=True)
    sys.exit()


def fork(program: dict[str, Any]) -> int:
    """Start a program, and return its process id once the supervisor is its parent."""
    answer, ask = os.pipe()
    between = os.fork()
    if not between:
        pid = os.fork()
        if not pid:
            os.close(answer)
            os.close(ask)
            run(**program)
        os.write(ask, str(pid).encode())
        os._exit(0)
    os.close(ask)
    # An orphan from here on.
    os.waitpid(between, 0)
    with os.fdopen(answer) as said:
        return int(said.read())


def main() -> None:
    """Import what the arguments say, then start programs until the supervisor is gone."""
    for name in sys.argv[1:]:
        import_module(name)
    # The garbage collector would write to the memory that all share.
    gc.collect()
    gc.freeze()
    supervisor = socket.socket(fileno=sys.stdin.fileno())
    with supervisor.makefile("rw") as lines:
        for line in lines:
            lines.write(f"{fork(json.loads(line))}\n")
            lines.flush()


if __name__ == "__main__":
    main()
