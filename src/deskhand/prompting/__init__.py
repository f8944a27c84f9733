"""How a model is told what is on the screen, asked, and asked again. What to ask is left to the roles."""
