"""The reviewers' pages and the mail: values in, text out. Knows no AWS and no request."""
