"""The operators' command line: `placet stuck`, `find`, `repair`, `reconcile`, `settle`, `freeze`, `thaw`. It can never decide."""
