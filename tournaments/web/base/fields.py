"""Fields of forms."""

from typing import Any

from django import forms

from tournaments.engine.rules.entries import clean_line


class LineField(forms.CharField):
    """One line of shown text, cleaned of control characters and of what is invisible."""

    def to_python(self, value: Any) -> str:
        text = super().to_python(value) or ""
        # Django refuses NUL after this.
        return text if "\0" in text else clean_line(text)
