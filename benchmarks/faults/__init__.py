"""Faults made on purpose: programs killed, disks filled, databases away, clocks set."""
