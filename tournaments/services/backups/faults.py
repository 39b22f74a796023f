"""Why a backup is not made or not restored, in words for whoever runs the server."""


class BackupFault(Exception):
    """Nothing was done; the message says why, and what would help."""


class DamagedBackup(BackupFault):
    """The file is no backup, or not as it was written."""


class NotEmpty(BackupFault):
    """There is data already where a backup was to be restored."""
