"""What a flood of captures is played with."""
