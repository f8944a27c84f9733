"""What can be worked on: browser, desktop, phones. Devices do, never decide."""
