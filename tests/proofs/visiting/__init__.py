"""Who asks the ports of the local mode for something, and what is behind them."""
