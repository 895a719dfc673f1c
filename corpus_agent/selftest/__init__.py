"""The program put to the test: attempts against its claims, and questions with known answers.

Each attempt has a control that succeeds; `evaluation` measures search and answers.
"""
