"""Synthesizes Placet's two stacks: no account and no look-ups; the network only for the dependency layer's wheels."""

import os
import sys

try:
    from infra.synth import SynthError, jsii

    os.environ.update(jsii())  # before CDK is imported
    from infra.app import main
except ModuleNotFoundError as missing:
    sys.exit(f"placet: {sys.executable} has no {missing.name}. Run `make setup`, and then: .venv/bin/python app.py")
except SynthError as error:
    sys.exit(f"placet: {error}")
main()
