"""The extractor of PDF: pages, their layout, repairs."""
