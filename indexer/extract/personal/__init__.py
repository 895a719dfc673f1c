"""Contacts, calendars and notes, as programs export them."""
