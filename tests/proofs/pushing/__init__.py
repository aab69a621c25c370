"""What the proof of queues and webhooks plays with: a real HTTPS server with a CA of its own, a queue, consumers that misbehave."""
