"""From a question to a checked answer, in the order in which it goes through these modules."""
