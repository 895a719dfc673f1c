"""The loop between the model and its two tools: what is asked, heard, understood and kept.

    transcript   the conversation as values, and as the messages that a server takes
    spoken       a reply as text -> the calls that it meant; values: how they are written
    room         the conversation -> as much of it as the model can read
    ability      what a server says its model can take
    hearing      one request, heard as it comes, cut where it invents
    turns        request and result in turn, until there is an answer

Knows no document and judges no answer. Called by agent.py.
"""
