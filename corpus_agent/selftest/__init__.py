"""The program put to the test: attempts against its claims, and questions with known answers."""
