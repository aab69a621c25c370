# refused: must define POLICY
RULES: list[str] = []
