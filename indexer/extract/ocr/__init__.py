"""Text recognition: pictures of pages -> lines with a confidence.

`pictures` renders pages, `engine` recognises them, `reading_order` puts pieces into lines. Imported
only in the process of `indexer.parsers.recognising`: the libraries are those of the extra `[ocr]`.
"""
