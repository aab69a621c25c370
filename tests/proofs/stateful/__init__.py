"""The property machine: any order of everything that anybody can do, and an oracle that keeps its own books."""
