"""Texts for people: names and sentences, translated."""
