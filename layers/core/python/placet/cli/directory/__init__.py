"""`placet people`, `away`, `back` and `reviewers`: what the owner of an account does with its people.

They work on the table and the user pool themselves, by the gateway's own code and the deployed policy, and so are in a
checkout of the gateway and not in the package that agents and operators install.
"""
