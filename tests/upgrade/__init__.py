"""Records of earlier releases, as bytes: what was written once has to be read, decided and resumed by today's code (promise 11).

`items/*.json` were written by the code of the commit that each names, through its own verbs; `make.py` made them.
"""
