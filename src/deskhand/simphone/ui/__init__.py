"""The phone's view tree: nodes, layout, touch and text entry."""
