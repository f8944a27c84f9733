"""A simulated Android phone that real `adb` connects to: the body (`phone`) and its wire (`server`)."""
