"""Archives and compressed files: each file within is read as the file that it is."""
