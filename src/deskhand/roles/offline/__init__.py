"""The roles without a model: plain instructions in English and Chinese, carried out by grammar and grounding."""
