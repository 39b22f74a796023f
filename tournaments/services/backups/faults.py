"""Reasons why a backup is not made or not restored, worded for server administrators."""


class BackupFault(Exception):
    """Nothing was done; the message gives the reason and a remedy."""


class DamagedBackup(BackupFault):
    """The file is not a backup, or was altered."""


class NotEmpty(BackupFault):
    """The target of the restore has data already."""
