"""API Gateway events to requests, results to answers, errors to problem documents. Nothing here decides anything."""
