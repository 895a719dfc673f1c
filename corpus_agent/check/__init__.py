"""Anybody's text against the documents: where each quotation and statement of it stands.

`pieces` takes a text apart, `quotations` and `statements` find the places, `checking` does it all.
"""
