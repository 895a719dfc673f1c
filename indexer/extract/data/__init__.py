"""Data and documents that were written for programs: JSON, XML, notebooks."""
