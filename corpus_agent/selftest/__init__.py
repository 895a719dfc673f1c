"""The attackers: attempts against the claims of this program, each with a control that succeeds."""
