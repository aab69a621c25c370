"""What functions ask AWS for, and what their policies allow: each in the words of the other."""
