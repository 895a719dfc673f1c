"""Text recognition: pictures of pages -> lines with a confidence.

`pictures` renders pages, also for who looks at them; `engine` recognises them and `reading_order`
puts pieces into lines in the process of `indexer.parsers.recognising` alone. Extra: `[ocr]`.
"""
