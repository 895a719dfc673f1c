"""Mail: single messages and mailboxes, MIME, Outlook's MSG."""
