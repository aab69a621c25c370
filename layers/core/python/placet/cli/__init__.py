"""The command line `placet`, of operators, reviewers and agents. It can never decide."""
