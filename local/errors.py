"""What the local mode says when it cannot go on: one sentence, and the way out."""


class LocalError(Exception):
    """The local mode cannot go on.

    ``sentence`` says what is wrong, ``way_out`` what the person at the keyboard can do about it.
    """

    def __init__(self, sentence: str, way_out: str) -> None:
        super().__init__(f"{sentence} {way_out}")
        self.sentence = sentence
        self.way_out = way_out


class AlreadyRunning(LocalError):
    """A start in the same folder is up, and another one would take its files away."""


class PortTaken(LocalError):
    """Somebody else listens on a port that the local mode needs."""


class StepFailed(LocalError):
    """A step of the start (install, boot, deploy, seed) did not succeed."""
