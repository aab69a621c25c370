"""Races: the service's own code in several operating-system processes, let loose on one DynamoDB table at the same moment."""
