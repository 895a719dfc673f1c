"""Small PDF files with the text of a test."""

from __future__ import annotations

import io

from reportlab.pdfgen.canvas import Canvas


def pdf_of(*pages: str, title: str = "") -> bytes:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, invariant=True)
    canvas.setTitle(title)
    for page in pages:
        for row, line in enumerate(page.split("\n")):
            canvas.drawString(72, 720 - 14 * row, line)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()
