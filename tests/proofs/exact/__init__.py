"""What the proof of exact JSON plays with: the public corpora, a second reader, made values, and the way through the gateway."""
