"""The demo agents, outside the product: `support` (LangChain, picks decisions up) and `billing` (a Lambda function)."""
