"""The operators' command line: `placet stuck`, `find`, `repair`, `reconcile`, `freeze`, `thaw`. It can never decide."""
