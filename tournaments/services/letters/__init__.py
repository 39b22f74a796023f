"""Mails that the program writes by itself."""
