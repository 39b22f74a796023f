"""The feed of changes: everything that happens, in order, for programs that follow."""
