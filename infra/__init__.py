"""Placet on AWS: what is deployed, and what is checked before anybody deploys it."""
