"""The phone's body: its facts, the app in front, its windows, its input and its display. `Phone` joins them."""
