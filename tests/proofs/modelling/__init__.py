"""An explicit-state model of the protocol, written from the design, checked exhaustively, and compared with the code's tables."""
