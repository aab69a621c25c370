"""Mutation testing of the code that decides, resumes and executes: small changes that some unit test has to notice."""
