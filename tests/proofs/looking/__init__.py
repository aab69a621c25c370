"""Pages as they look: hostile texts in every place of every page, in a browser, measured."""
