"""As whom a command speaks, as its help says it."""

AS_REVIEWER = (
    "As the reviewer whose access token is in PLACET_TOKEN; it lasts 10 minutes. On this machine "
    "`python -m local token NAME` prints one; docs/operations.md says how to take one in an account."
)
AS_AGENT = (
    "As the agent whose IAM role signs. On this machine `python -m local environment AGENT` prints its credentials."
)
